struct List { bit<8> head; List tail; }

// fixed:

struct Link { bit<8> head; }
struct List { Link first; Link second; }
