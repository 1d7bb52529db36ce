import { Alert, Button, Checkbox, Group, Skeleton, Stack, Stepper, Text, TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate, useParams } from 'react-router';
import { api, body, type Schemas } from '@/api/client';
import { asApiError } from '@/api/problem';
import { AddressFields, type AddressForm, addressFits, EMPTY_ADDRESS } from '@/shared/people/AddressFields';
import { RiskNotice } from '@/shared/results/RiskNotice';
import { PauseNotice } from '@/shared/status/PauseNotice';
import { ErrorCard } from '@/ui/ErrorCard';
import { given, useSubmit } from '@/ui/useSubmit';
import { isEmail } from './Credentials';
import GoogleButton from './GoogleButton';
import { PasswordFields } from './PasswordFields';
import { Problem } from './Problem';
import { PublicCard } from './PublicCard';
import classes from './RegisterPage.module.css';
import { SignedIn } from './SignedIn';
import { Terms } from './Terms';
import { useEntering } from './useEntering';
import { type ChosenPassword, usePassword } from './usePassword';

type Upline = { state: 'checking' | 'unknown' | 'failed' } | ({ state: 'known' } & Schemas['UplineAnswer']);

const EMPTY = {
  fullName: '',
  email: '',
  mobileNumber: '',
  address: EMPTY_ADDRESS,
  terms: false,
  adult: false,
  risk: false,
};
type Form = typeof EMPTY;

/** Which step shows the server's word on a field. */
const STEP_OF: Record<string, number> = { fullName: 0, email: 0, mobileNumber: 0, password: 0, address: 1 };

export default function RegisterPage() {
  const { t } = useTranslation('identity');
  const { upline = '' } = useParams();
  const [found, again] = useUpline(upline);
  const { somebody, enter } = useEntering();
  if (somebody) return <SignedIn user={somebody} />;
  return (
    <PublicCard
      width={560}
      title={t(($) => $.register.title)}
      subtitle={
        found.state === 'known' &&
        t(($) => $.register.by, { name: found.firstName, username: found.username })
      }
    >
      {found.state === 'checking' && <Skeleton h={280} aria-label={t(($) => $.checking)} />}
      {found.state === 'failed' && <ErrorCard what={t(($) => $.register.what)} onRetry={again} />}
      {found.state === 'unknown' && (
        <Alert color="red" variant="light" role="alert">
          {t(($) => $.register.unknown)}
        </Alert>
      )}
      {found.state === 'known' && found.pause && (
        <PauseNotice
          pause={found.pause}
          text={(said) => t(($) => $.register.paused, said)}
          testId="registration-paused"
          urgent
        />
      )}
      {found.state === 'known' && !found.pause && (
        <>
          <Steps upline={found.username} enter={enter} />
          <GoogleButton upline={found.username} />
        </>
      )}
    </PublicCard>
  );
}

function useUpline(upline: string): [Upline, () => void] {
  const [found, setFound] = useState<Upline>({ state: 'checking' });
  const [round, setRound] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `round` asks again.
  useEffect(() => {
    let current = true;
    setFound({ state: 'checking' });
    body(api.GET('/affiliates/verify-upline/{upline}', { params: { path: { upline } } })).then(
      (answer) => current && setFound({ state: 'known', ...answer }),
      (error) => current && setFound({ state: asApiError(error).unavailable ? 'failed' : 'unknown' }),
    );
    return () => {
      current = false;
    };
  }, [upline, round]);
  return [found, () => setRound((value) => value + 1)];
}

interface StepsProps {
  upline: string;
  enter: (token: string) => Promise<unknown>;
}

/** Where one is among the steps is a place in the browser's history: Back leads to the step before, with all that is typed. */
function useStep(): [number, (step: number) => void] {
  const navigate = useNavigate();
  const { pathname, state } = useLocation();
  // After a reload nothing is typed any more.
  const [reached, setReached] = useState(0);
  const step = Math.min(typeof state?.step === 'number' ? state.step : 0, reached);
  const go = (to: number) => {
    if (to < step) return void navigate(to - step);
    setReached(Math.max(reached, to));
    void navigate(pathname, { state: { step: to } });
  };
  return [step, go];
}

function Steps({ upline, enter }: StepsProps) {
  const { t } = useTranslation('identity');
  const navigate = useNavigate();
  const [form, setForm] = useState<Form>(EMPTY);
  const [step, setStep] = useStep();
  const [checked, setChecked] = useState([false, false, false]);
  const chosen = usePassword({ email: form.email.trim(), fullName: form.fullName.trim() });
  const { busy, failure, run, field } = useSubmit(given);
  const set = (part: Partial<Form>) => setForm((before) => ({ ...before, ...part }));

  const fits = [
    form.fullName.trim().length >= 3 && isEmail(form.email),
    addressFits(form.address),
    form.terms && form.adult && form.risk,
  ];
  const next = () => {
    setChecked((before) => before.map((was, index) => was || index === step));
    if (step === 2 && fits[2]) void submit();
    else
      void run(async () => {
        // A weak password is told where it is typed, not two steps later.
        const accepted = step > 0 || (await chosen.accepted());
        if (fits[step] && accepted && step < 2) setStep(step + 1);
      });
  };
  const submit = async () => {
    const done = await run(async () => {
      try {
        const { token } = await body(
          api.POST('/auth/register/{upline}', { params: { path: { upline } }, body: toBody(form, chosen) }),
        );
        await enter(token);
      } catch (error) {
        const first = Object.keys(asApiError(error).errors)[0]?.split('.')[0];
        if (first !== undefined) setStep(STEP_OF[first] ?? 2);
        throw error;
      }
    });
    if (done) await navigate('/', { replace: true });
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        next();
      }}
    >
      <Stepper
        active={step}
        onStepClick={(target) => target < step && setStep(target)}
        size="sm"
        iconSize={30}
        wrap={false}
        classNames={{ stepBody: classes.stepBody ?? '' }}
        aria-label={t(($) => $.register.steps.label)}
      >
        <Stepper.Step label={t(($) => $.register.steps.data)} aria-label={t(($) => $.register.steps.data)}>
          <Person form={form} set={set} chosen={chosen} checked={checked[0] ?? false} field={field} />
        </Stepper.Step>
        <Stepper.Step
          label={t(($) => $.register.steps.address)}
          aria-label={t(($) => $.register.steps.address)}
        >
          <AddressFields
            value={form.address}
            onChange={(address) => set({ address })}
            checked={checked[1] ?? false}
            field={field}
          />
        </Stepper.Step>
        <Stepper.Step label={t(($) => $.register.steps.terms)} aria-label={t(($) => $.register.steps.terms)}>
          <Acceptance form={form} set={set} checked={checked[2] ?? false} />
        </Stepper.Step>
      </Stepper>
      <Stack mt="lg">
        {failure && <Problem {...failure} title={t(($) => $.register.failed)} />}
        <Group justify="space-between">
          {step > 0 ? (
            <Button variant="default" onClick={() => setStep(step - 1)} disabled={busy}>
              {t(($) => $.register.back)}
            </Button>
          ) : (
            <span />
          )}
          <Button type="submit" loading={busy}>
            {step < 2 ? t(($) => $.register.next) : t(($) => $.register.submit)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

interface PartProps {
  form: Form;
  set: (part: Partial<Form>) => void;
  checked: boolean;
}

interface PersonProps extends PartProps {
  chosen: ChosenPassword;
  field: (name: string) => string | undefined;
}

function Person({ form, set, chosen, checked, field }: PersonProps) {
  const { t } = useTranslation('identity');
  return (
    <Stack gap="sm" mt="xs">
      <TextInput
        name="name"
        autoComplete="name"
        required
        maxLength={120}
        label={t(($) => $.fields.fullName)}
        value={form.fullName}
        onChange={(event) => set({ fullName: event.currentTarget.value })}
        error={
          field('fullName') ?? (checked && form.fullName.trim().length < 3 && t(($) => $.errors.required))
        }
      />
      <TextInput
        name="email"
        type="email"
        autoComplete="email"
        required
        maxLength={254}
        label={t(($) => $.fields.email)}
        value={form.email}
        onChange={(event) => set({ email: event.currentTarget.value })}
        error={field('email') ?? (checked && !isEmail(form.email) && t(($) => $.errors.email))}
      />
      <TextInput
        name="tel"
        type="tel"
        autoComplete="tel"
        maxLength={24}
        label={t(($) => $.fields.mobileNumber)}
        value={form.mobileNumber}
        onChange={(event) => set({ mobileNumber: event.currentTarget.value })}
        error={field('mobileNumber')}
      />
      <PasswordFields
        label={t(($) => $.fields.password)}
        chosen={chosen}
        checked={checked}
        error={field('password')}
      />
    </Stack>
  );
}

function Acceptance({ form, set, checked }: PartProps) {
  const { t } = useTranslation('identity');
  return (
    <Stack gap="sm" mt="xs">
      <Terms />
      <Checkbox
        checked={form.terms}
        onChange={(event) => set({ terms: event.currentTarget.checked })}
        label={t(($) => $.register.terms)}
        error={checked && !form.terms && t(($) => $.register.termsMissing)}
      />
      <RiskNotice />
      <Checkbox
        checked={form.risk}
        onChange={(event) => set({ risk: event.currentTarget.checked })}
        label={t(($) => $.register.risk)}
        error={checked && !form.risk && t(($) => $.register.riskMissing)}
      />
      <Checkbox
        checked={form.adult}
        onChange={(event) => set({ adult: event.currentTarget.checked })}
        label={t(($) => $.register.adult)}
        error={checked && !form.adult && t(($) => $.register.adultMissing)}
      />
      <Text fz="xs" c="dimmed">
        {t(($) => $.register.mail)}
      </Text>
    </Stack>
  );
}

type RegisterBody = {
  fullName: string;
  email: string;
  password: string;
  password_confirmation: string;
  terms: boolean;
  adult: boolean;
  riskNotice: boolean;
  mobileNumber?: string;
  address: Omit<AddressForm, 'complement'> & { complement?: string };
};

function toBody(form: Form, chosen: ChosenPassword): RegisterBody {
  const mobileNumber = form.mobileNumber.trim();
  const { complement, ...address } = form.address;
  return {
    fullName: form.fullName.trim(),
    email: form.email.trim(),
    password: chosen.password,
    password_confirmation: chosen.confirmation,
    terms: form.terms,
    adult: form.adult,
    riskNotice: form.risk,
    ...(mobileNumber && { mobileNumber }),
    address: { ...address, ...(complement.trim() && { complement: complement.trim() }) },
  };
}
