/** Where the browser offers to install the program: it does so once and early (`skin.js` keeps its offer), and it is taken up by a press of a
 *  button. */
import { create } from 'zustand';

interface Offer {
  prompt: () => Promise<unknown>;
}
const isOffer = (value: unknown): value is Offer =>
  typeof value === 'object' && value !== null && 'prompt' in value && typeof value.prompt === 'function';

const offered = (): Offer | null => {
  const offer: unknown = typeof window === 'undefined' ? null : Reflect.get(window, 'installOffer');
  return isOffer(offer) ? offer : null;
};

export const useInstallOffer = create<{ offer: Offer | null }>()(() => ({ offer: offered() }));

/** An offer is good once. */
function spent() {
  Reflect.set(window, 'installOffer', null);
  useInstallOffer.setState({ offer: null });
}

/** The browser asks by itself whether it is meant. */
export async function install(): Promise<void> {
  const { offer } = useInstallOffer.getState();
  spent();
  await offer?.prompt();
}

if (typeof window !== 'undefined') {
  window.addEventListener('installoffer', () => useInstallOffer.setState({ offer: offered() }));
  window.addEventListener('appinstalled', spent);
}
