-- Support: tickets and their messages.
CREATE SCHEMA support;
GRANT USAGE ON SCHEMA support TO arbora_app;

CREATE TABLE support.ticket (
    id               uuid PRIMARY KEY,
    number           bigint GENERATED ALWAYS AS IDENTITY UNIQUE,   -- what people read out on the telephone
    owner            uuid NOT NULL,
    subject          text NOT NULL CHECK (length(subject) BETWEEN 1 AND 120),
    category         text NOT NULL CHECK (category IN ('financial', 'account_data', 'other', 'affiliate_network', 'robot_trading')),
    status           text NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'closed')),
    -- What the ticket is about, if anything: a line of foundation.subject that belongs to the owner.
    about_kind       text,
    about_id         uuid,
    last_number      bigint NOT NULL DEFAULT 0 CHECK (last_number >= 0),
    last_message     text NOT NULL DEFAULT '' CHECK (length(last_message) <= 200),
    last_message_at  timestamptz NOT NULL,
    read_by_customer bigint NOT NULL DEFAULT 0,
    read_by_staff    bigint NOT NULL DEFAULT 0,
    waiting_since    timestamptz,                                  -- only a reply of staff clears it
    version          bigint NOT NULL DEFAULT 1,
    created_at       timestamptz NOT NULL,
    closed_at        timestamptz,
    closed_by        uuid,
    deleted_at       timestamptz,
    CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
    CHECK ((about_kind IS NULL) = (about_id IS NULL)),
    CHECK (read_by_customer BETWEEN 0 AND last_number AND read_by_staff BETWEEN 0 AND last_number)
) WITH (fillfactor = 80);
CREATE INDEX ticket_owner ON support.ticket (owner, created_at DESC) WHERE deleted_at IS NULL;
CREATE INDEX ticket_created ON support.ticket (created_at DESC) WHERE deleted_at IS NULL;
CREATE INDEX ticket_recent ON support.ticket (last_message_at DESC) WHERE deleted_at IS NULL;
CREATE INDEX ticket_waiting ON support.ticket (waiting_since) WHERE deleted_at IS NULL AND status = 'open' AND waiting_since IS NOT NULL;

-- Numbers are gap-free within a ticket: they are given under the ticket's row lock.
CREATE TABLE support.message (
    ticket          uuid NOT NULL REFERENCES support.ticket,
    number          bigint NOT NULL CHECK (number > 0),
    id              uuid NOT NULL UNIQUE,
    author          uuid NOT NULL,
    side            text NOT NULL CHECK (side IN ('customer', 'staff')),
    body            text NOT NULL CHECK (length(body) <= 4000),
    client_id       uuid,
    attachment      uuid UNIQUE,                                   -- foundation.file
    attachment_name text,
    attachment_mime text,
    attachment_size bigint,
    edited_at       timestamptz,
    deleted_at      timestamptz,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (ticket, number),
    CHECK ((attachment IS NULL) = (attachment_name IS NULL)),
    CHECK ((attachment IS NULL) = (attachment_mime IS NULL)),
    CHECK ((attachment IS NULL) = (attachment_size IS NULL))
);
-- A message that is sent again after a lost answer is stored once.
CREATE UNIQUE INDEX message_client_id ON support.message (author, client_id) WHERE client_id IS NOT NULL;

GRANT SELECT, INSERT, UPDATE ON support.ticket, support.message TO arbora_app;
