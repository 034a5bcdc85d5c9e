"""A scheduler of Dask and its workers, all in a process of their own."""

from multiprocessing.connection import Connection


def serve(told: Connection) -> None:
    """Start with one worker and send the scheduler's address; from then on, have as
    many workers as the process is told.
    """
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        processes=False,
        protocol="tcp://",
        dashboard_address="127.0.0.1:0",
    ) as cluster:
        told.send(cluster.scheduler_address)
        while True:
            cluster.scale(told.recv())
