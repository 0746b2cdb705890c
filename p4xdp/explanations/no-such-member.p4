enum Colour { Red, Green }
const Colour C = Colour.Blue;

// fixed:

enum Colour { Red, Green }
const Colour C = Colour.Green;
