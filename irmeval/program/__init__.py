"""What a process has to do with what is around it: signals, standard output and error, files that it writes."""
