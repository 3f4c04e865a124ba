-- What the key of the nodes signs: a node with another key finds out before it seals anything.
CREATE TABLE key_check (id BIGINT PRIMARY KEY CHECK (id = 1), signature TEXT NOT NULL);
