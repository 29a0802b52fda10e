"""The support desk: many tickets read, judged, grouped and counted. No Qt, and no words for users."""
