"""Threads that fail, disks that fill, and how parts tell that they are ready."""
