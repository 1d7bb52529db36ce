import { IconBook, IconFileTypePdf, IconPhoto, IconPlayerPlay } from '@tabler/icons-react';
import { useFileUrl } from '@/ui/useFileUrl';
import classes from './Content.module.css';
import { type Attached, type FileKind, kindOf } from './content';

const ICONS: Record<FileKind | 'text', typeof IconBook> = {
  video: IconPlayerPlay,
  image: IconPhoto,
  pdf: IconFileTypePdf,
  text: IconBook,
};

/** The picture on a card; without one, or until it is there, what it is. It adds nothing for who does not see it. */
export function Cover({
  cover,
  file,
}: {
  cover?: string | null | undefined;
  file?: Attached | null | undefined;
}) {
  const { url } = useFileUrl(cover, 'preview');
  const Icon = ICONS[file ? kindOf(file) : 'text'];
  return (
    <div className={classes.cover} aria-hidden>
      {url ? <img src={url} alt="" /> : <Icon size={40} stroke={1.3} />}
    </div>
  );
}
