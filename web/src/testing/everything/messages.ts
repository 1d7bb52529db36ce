/** What the product's specification has people read, word for word, and the browser test that shows it in Portuguese. */
export interface Message {
  /** As the specification writes it. */
  said: string;
  /** In which language that is. */
  language: 'pt' | 'en';
  /** In Portuguese, where the specification writes it in another language. */
  pt?: string;
  /** A file of `i18n`. */
  texts: string;
  /** A file of `e2e`, and what stands on the screen there where something is filled in. */
  shown: string;
  as?: string;
}

export const MESSAGES: readonly Message[] = [
  // forms
  {
    said: 'You must accept the terms of use!',
    language: 'en',
    pt: 'Você precisa aceitar os termos de uso!',
    texts: 'identity',
    shown: 'face/session.spec.ts',
  },
  {
    said: 'Please select a category',
    language: 'en',
    pt: 'Selecione uma categoria',
    texts: 'support',
    shown: 'face/support.spec.ts',
  },
  {
    said: 'Enter a value greater than zero',
    language: 'en',
    pt: 'Informe um valor maior que zero',
    texts: 'lists',
    shown: 'face/robots.spec.ts',
  },
  {
    said: 'That is not a valid address for that coin!',
    language: 'en',
    pt: 'Este endereço não é válido para esta moeda!',
    texts: 'withdrawals',
    shown: 'face/withdrawals.spec.ts',
  },
  {
    said: 'That amount is larger than your balance!',
    language: 'en',
    pt: 'O valor é maior que o seu saldo!',
    texts: 'lists',
    shown: 'face/withdrawals.spec.ts',
  },
  {
    said: 'Valor para retirada inválido.',
    language: 'pt',
    texts: 'withdrawals',
    shown: 'face/withdrawals.spec.ts',
  },
  // what failed
  { said: 'Erro na autenticação', language: 'pt', texts: 'login', shown: 'face/session.spec.ts' },
  { said: 'Erro no cadastro', language: 'pt', texts: 'identity', shown: 'face/session.spec.ts' },
  { said: 'Erro ao salvar', language: 'pt', texts: 'common', shown: 'face/accountForms.spec.ts' },
  {
    said: 'Erro ao buscar dados do usuário',
    language: 'pt',
    texts: 'common',
    shown: 'face/accountForms.spec.ts',
  },
  {
    said: 'Link para alteração de senha inválido!',
    language: 'pt',
    texts: 'identity',
    shown: 'face/session.spec.ts',
  },
  {
    said: 'Link de confirmação inválido!',
    language: 'pt',
    texts: 'identity',
    shown: 'face/session.spec.ts',
  },
  { said: 'Conexão perdida!', language: 'pt', texts: 'common', shown: 'face/shell.spec.ts' },
  { said: 'Falha ao retirar valor', language: 'pt', texts: 'common', shown: 'face/withdrawals.spec.ts' },
  { said: 'Você não está autorizado!', language: 'pt', texts: 'shell', shown: 'face/session.spec.ts' },
  {
    said: 'A URL solicitada não foi encontrada neste servidor.',
    language: 'pt',
    texts: 'shell',
    shown: 'face/session.spec.ts',
  },
  {
    said: 'Usuário {{id}} não encontrado.',
    language: 'pt',
    texts: 'people',
    shown: 'face/people.spec.ts',
    as: 'Usuário u-nobody não encontrado.',
  },
  // An answer of orders without rows: in Portuguese, too, in these words.
  {
    said: 'Invalid response format',
    language: 'en',
    pt: 'Invalid response format',
    texts: 'common',
    shown: 'face/robots.spec.ts',
  },
];
