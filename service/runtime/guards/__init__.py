"""Threads that fail, and disks that fill."""
