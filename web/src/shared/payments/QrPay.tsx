import { Button, CopyButton, Stack, Text } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';
import { QRCodeSVG } from 'qrcode.react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import classes from './QrPay.module.css';

interface QrPayProps {
  /** The whole payload: a BR Code, an address, an otpauth address. */
  text: string;
  /** The amount, as it is to be paid. */
  amount?: ReactNode;
  /** What scanning it does, for who does not see it. */
  label: string;
  copyLabel?: string;
  /** What is shown and copied when it is not the whole payload (an authenticator's key). */
  copy?: string;
  size?: number;
}

export function QrPay({ text, amount, label, copyLabel, copy: shown = text, size = 196 }: QrPayProps) {
  const { t } = useTranslation();
  return (
    <Stack gap="sm">
      <div className={classes.qr}>
        <QRCodeSVG value={text} size={size} marginSize={0} level="M" title={label} role="img" />
      </div>
      {amount && (
        <Text ta="center" fz={20} fw={680} className="num" component="div">
          {amount}
        </Text>
      )}
      <textarea
        className={classes.code}
        readOnly
        rows={shown.length > 60 ? 4 : shown.length > 34 ? 2 : 1}
        value={shown}
        aria-label={label}
        data-testid="qr-text"
        onFocus={(event) => event.currentTarget.select()}
      />
      <CopyButton value={shown} timeout={2000}>
        {({ copied, copy }) => (
          <Button
            variant="default"
            fullWidth
            onClick={copy}
            leftSection={copied ? <IconCheck size={17} aria-hidden /> : <IconCopy size={17} aria-hidden />}
          >
            {copied ? t(($) => $.actions.copied) : (copyLabel ?? t(($) => $.actions.copyCode))}
          </Button>
        )}
      </CopyButton>
    </Stack>
  );
}
