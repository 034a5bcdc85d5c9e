"""What users write in several places, so that a command line is understood before
anything that reads or scores is imported.
"""

EXPONENTIAL = "1:1,2:3,3:7,4:15"
"""Gains of 2^grade - 1, as a policy."""
WORKSPACE = ".irmeval"
"""Ending of files of workspaces."""


def split_path(path: str) -> tuple[str, str] | None:
    """File and name of the collection in ``my.irmeval#name``; None if the path is not a
    workspace.
    """
    file, mark, name = path.partition(f"{WORKSPACE}#")
    if mark:
        return file + WORKSPACE, name
    if path.lower().endswith(WORKSPACE):
        return path, ""
    return None
