-- Content: lessons of the academy and material to hand on, written by staff, read by customers; how far each person came.
CREATE SCHEMA content;
GRANT USAGE ON SCHEMA content TO arbora_app;

ALTER TABLE foundation.file DROP CONSTRAINT file_purpose_check;
ALTER TABLE foundation.file ADD CONSTRAINT file_purpose_check
    CHECK (purpose IN ('pix_proof', 'pix_payment', 'ticket_attachment', 'avatar', 'pool_proof', 'content_cover', 'content_file'));
-- Whoever takes a file away asks each table that may point to it.
CREATE INDEX deposit_proof ON pix.deposit (proof) WHERE proof IS NOT NULL;
CREATE INDEX revenue_proof ON pools.revenue (proof) WHERE proof IS NOT NULL;

CREATE TABLE content.item (
    id           uuid PRIMARY KEY,
    kind         text NOT NULL CHECK (kind IN ('lesson', 'material')),
    language     text NOT NULL CHECK (language IN ('pt', 'en', 'es')),
    title        text NOT NULL CHECK (char_length(title) BETWEEN 1 AND 120),
    body         text NOT NULL CHECK (char_length(body) <= 20000),
    place        integer NOT NULL CHECK (place BETWEEN 0 AND 9999),  -- the lowest first
    cover        uuid UNIQUE REFERENCES foundation.file,
    file         uuid UNIQUE REFERENCES foundation.file,
    created_by   uuid NOT NULL REFERENCES identity.account,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    published_at timestamptz,                                        -- none: a draft, which no customer sees
    version      bigint NOT NULL DEFAULT 1,
    -- What customers see has something to read or to open.
    CONSTRAINT item_complete CHECK (published_at IS NULL OR file IS NOT NULL OR kind = 'lesson' AND body <> '')
);
CREATE INDEX item_order ON content.item (kind, language, place, created_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON content.item TO arbora_app;

-- How far somebody came in a lesson.
CREATE TABLE content.progress (
    person     uuid NOT NULL REFERENCES identity.account,
    item       uuid NOT NULL REFERENCES content.item ON DELETE CASCADE,
    seconds    integer NOT NULL CHECK (seconds BETWEEN 0 AND 86400),
    done_at    timestamptz,
    updated_at timestamptz NOT NULL,
    PRIMARY KEY (person, item)
);
CREATE INDEX progress_item ON content.progress (item);
GRANT SELECT, INSERT, UPDATE ON content.progress TO arbora_app;
