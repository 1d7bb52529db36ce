/** `useSubmit` for a button that has no place of its own for a refusal: it is told in a toast. */
import { toast } from './toast';
import { useErrorText } from './useErrorText';
import { useSubmit } from './useSubmit';

export function usePress<In, Out>(
  send: (input: In, idempotencyKey: string) => Promise<Out>,
  done?: (answer: Out, input: In) => unknown,
) {
  const errorText = useErrorText();
  return useSubmit(send, done, (error) => toast.danger(errorText(error)));
}
