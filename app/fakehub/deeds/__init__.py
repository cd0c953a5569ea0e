"""What can be done on the local GitHub; each deed changes the state and announces its events."""
