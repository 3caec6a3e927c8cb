"""What is checked: schedulers of others, in this process or another program, made ready for every check."""
