"""What the web processes of a server share, by a folder in memory."""
