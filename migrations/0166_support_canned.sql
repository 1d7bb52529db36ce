-- Support: canned replies. One text in each language that the house speaks, so that none of a customer's languages lacks its own.
CREATE TABLE support.canned_reply (
    id         uuid PRIMARY KEY,
    title      text NOT NULL CHECK (length(title) BETWEEN 1 AND 80 AND btrim(title) <> ''),
    body_pt    text NOT NULL CHECK (length(body_pt) BETWEEN 1 AND 4000 AND btrim(body_pt) <> ''),
    body_en    text NOT NULL CHECK (length(body_en) BETWEEN 1 AND 4000 AND btrim(body_en) <> ''),
    body_es    text NOT NULL CHECK (length(body_es) BETWEEN 1 AND 4000 AND btrim(body_es) <> ''),
    -- Its place among those in use, from 1; a retired one has none.
    place      integer CHECK (place BETWEEN 1 AND 200),
    retired_at timestamptz,
    version    bigint NOT NULL DEFAULT 1,
    changed_by uuid NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    CHECK ((place IS NULL) = (retired_at IS NOT NULL)),
    -- Checked at the end of a statement: an order is written in one.
    CONSTRAINT canned_reply_place UNIQUE (place) DEFERRABLE INITIALLY IMMEDIATE
);
-- What staff look for by its name has one.
CREATE UNIQUE INDEX canned_reply_title ON support.canned_reply (lower(title)) WHERE retired_at IS NULL;
CREATE INDEX canned_reply_retired ON support.canned_reply (retired_at DESC, id) WHERE retired_at IS NOT NULL;
GRANT SELECT, INSERT, UPDATE ON support.canned_reply TO arbora_app;
