-- Pictures that others took the place of kept their rows; now they are nobody's, and the sweep of the files removes their bytes.
DELETE FROM foundation.file f
WHERE f.purpose = 'avatar' AND NOT EXISTS (SELECT FROM identity.account a WHERE a.avatar = f.id);
