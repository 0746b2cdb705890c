"""Programs of other people, tried: found, given packets and entries, brought to every place."""
