import { AccountPage } from '@/rooms/identity/account/AccountPage';
import { WalletTab } from '@/rooms/web3/WalletTab';

/** /account-setting and /trading-bot: the account, with the wallet as one of its tabs. */
export default function AccountSettingPage() {
  return <AccountPage crypto={<WalletTab />} />;
}
