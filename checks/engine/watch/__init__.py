"""The user's own program: started as the user starts it, seen from outside and from inside, ended as a whole."""
