"""What a metric does, without data or with little."""
