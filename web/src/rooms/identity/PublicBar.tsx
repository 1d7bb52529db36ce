import { LanguageSelect } from '@/ui/LanguageSelect';
import { SkinToggle } from '@/ui/SkinToggle';

/** Language and skin, above the card of every public screen. */
export default function PublicBar() {
  return (
    <>
      <LanguageSelect />
      <SkinToggle />
    </>
  );
}
