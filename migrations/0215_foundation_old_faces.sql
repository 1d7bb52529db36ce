-- Pictures that others took the place of lost their rows at once (0202) and were left to the comparison of shelves and table, which holds itself where they are more than a
-- tenth of all that lies there. The audit names each of them: those that no row knows are removed one by one, as every file that is let go.
INSERT INTO foundation.job (kind, effect, payload, run_at, created_at)
SELECT 'foundation.remove_file', 'foundation.remove_file:' || face.id, to_jsonb(face.id), now(), now()
FROM (
    SELECT DISTINCT (a.details ->> 'file')::uuid AS id FROM foundation.audit a
    WHERE a.action = 'profile.avatar' AND a.details ->> 'file' IS NOT NULL
) face
WHERE NOT EXISTS (SELECT FROM foundation.file f WHERE f.id = face.id)
  AND NOT EXISTS (SELECT FROM foundation.job_done d WHERE d.effect = 'foundation.remove_file:' || face.id)
ON CONFLICT (effect) DO NOTHING;
