"""How causes are worded: signatures, and the resemblance to known tickets."""
