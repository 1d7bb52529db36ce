-- Support: internal notes on a ticket. Seen by staff alone, never changed (a correction is another note), so that they may only be added.
CREATE TABLE support.note (
    ticket     uuid NOT NULL REFERENCES support.ticket,
    number     integer NOT NULL CHECK (number BETWEEN 1 AND 200),
    id         uuid NOT NULL UNIQUE,
    author     uuid NOT NULL,
    body       text NOT NULL CHECK (length(body) BETWEEN 1 AND 4000 AND btrim(body) <> ''),
    client_id  uuid NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (ticket, number),
    -- A note that is sent again after a lost answer is stored once.
    CONSTRAINT note_client_id UNIQUE (author, client_id)
);
GRANT SELECT, INSERT ON support.note TO arbora_app;

-- How many there are: lists show it without counting.
ALTER TABLE support.ticket ADD COLUMN notes integer NOT NULL DEFAULT 0 CHECK (notes BETWEEN 0 AND 200);
