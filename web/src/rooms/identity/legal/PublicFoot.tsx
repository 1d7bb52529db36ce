import { LegalLink } from './LegalLink';
import { Officer } from './Officer';

/** Below the card of every public screen: what there is to read, and whom to ask. */
export default function PublicFoot() {
  return (
    <>
      <LegalLink />
      <Officer />
    </>
  );
}
