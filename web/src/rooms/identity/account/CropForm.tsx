import 'react-easy-crop/react-easy-crop.css';
import { Alert, Button, Group, Progress, Slider, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import Cropper, { type Area, type Point } from 'react-easy-crop';
import { useTranslation } from 'react-i18next';
import { GuardedButton } from '@/ui/GuardedButton';
import { toast } from '@/ui/toast';
import { useSaveText } from '@/ui/useErrorText';
import { useSubmit } from '@/ui/useSubmit';
import { cut, putAvatar } from './avatar';
import classes from './CropForm.module.css';

const MOST = 4;
const START: Point = { x: 0, y: 0 };

/** Which part of a picture is shown: moved by pointer, touch or arrows, made larger by the slider. */
export default function CropForm({ file, onClose }: { file: File; onClose: () => void }) {
  const { t } = useTranslation('account');
  const { t: common } = useTranslation();
  const { t: lists } = useTranslation('lists');
  const saveText = useSaveText();
  const image = useRef<HTMLImageElement | null>(null);
  const [url, setUrl] = useState<string | null>(null);
  const [unreadable, setUnreadable] = useState(false);
  const [place, setPlace] = useState(START);
  const [zoom, setZoom] = useState(1);
  const [area, setArea] = useState<Area | null>(null);
  const [progress, setProgress] = useState(0);
  useEffect(() => {
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  const { busy, failure, field, run } = useSubmit(
    async (chosen: Area) => {
      const square = image.current && (await cut(image.current, chosen, file.type));
      if (square) await putAvatar({ file: square, onProgress: setProgress });
      else setUnreadable(true);
      return square !== null;
    },
    (sent) => {
      if (!sent) return;
      toast.success(t(($) => $.avatar.saved));
      onClose();
    },
  );
  return (
    <Stack gap="md">
      <div className={classes.frame ?? ''} data-cropper>
        {url && !unreadable && (
          <Cropper
            image={url}
            crop={place}
            zoom={zoom}
            maxZoom={MOST}
            aspect={1}
            cropShape="round"
            showGrid={false}
            objectFit="contain"
            disableAutomaticStylesInjection
            onCropChange={setPlace}
            onZoomChange={setZoom}
            onCropAreaChange={(_, pixels) => setArea(pixels)}
            setImageRef={({ current }) => {
              image.current = current;
            }}
            mediaProps={{ alt: '', onError: () => setUnreadable(true) }}
            cropperProps={{ role: 'group', 'aria-label': t(($) => $.avatar.area) }}
          />
        )}
      </div>
      {unreadable ? (
        <Alert color="red" variant="light" role="alert">
          {t(($) => $.avatar.unreadable)}
        </Alert>
      ) : (
        <div>
          <Text fz="sm" fw={500} mb={6}>
            {t(($) => $.avatar.zoom)}
          </Text>
          <Slider
            min={1}
            max={MOST}
            step={0.1}
            value={zoom}
            onChange={setZoom}
            label={null}
            thumbLabel={t(($) => $.avatar.zoom)}
            disabled={busy}
          />
          <Text fz="xs" c="dimmed" mt={8}>
            {t(($) => $.avatar.move)}
          </Text>
        </div>
      )}
      {busy && (
        <Progress value={progress * 100} size="sm" animated aria-label={lists(($) => $.file.uploading)} />
      )}
      {failure && (
        <Alert color="red" variant="light" role="alert">
          {field('file') ?? saveText(failure.error)}
        </Alert>
      )}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={onClose} disabled={busy}>
          {common(($) => $.actions.cancel)}
        </Button>
        <GuardedButton
          allowed={area !== null && !unreadable}
          reason={t(($) => $.avatar.needs)}
          loading={busy}
          onClick={() => area && void run(area)}
        >
          {t(($) => $.avatar.save)}
        </GuardedButton>
      </Group>
    </Stack>
  );
}
