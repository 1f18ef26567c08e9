"""What an array can do, by topic; `Array` puts these classes together."""
