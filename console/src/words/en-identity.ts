import { counted } from './en-numbers.ts'

/** The texts of the screens of sign-ins, in English. */
export const identity = {
  tab: 'Sign-in',
  people: {
    tab: 'People',
    users: (n: number) => counted(n, 'user', 'users'),
    all: 'in this realm',
    linked: 'with an identity at a provider',
    unlinked: 'without one: only a password can sign them in',
    about: 'The page of a user says how they sign in, and who else has the same email address.',
  },
  providers: 'At providers',
  passwords: 'With a password',
  /** What a password profile and its username are called together. */
  username: (name: string) => `as ${name}`,
  noPasswords: 'No password in this realm.',
  none: (name: string) => `${name} has no identity at a provider, so no provider can sign them in.`,
  nothing: (name: string) =>
    `${name} cannot sign in: there is neither an identity at a provider nor a password.`,
  customerPassword: 'A customer may have a password of their own beside these:',
  customer: 'the customer',
  link: 'Link an identity',
  twins: (n: number) => counted(n, 'other user', 'other users'),
  twinsAbout:
    'of this realm with the same email address: perhaps the same person, who has signed in in another way.',
  facts: { issuer: 'Issuer', subject: 'Subject', since: 'Since' },
  noSubject: '(none)',
  works: (name: string) => `Whoever is this subject at this issuer signs in as ${name}.`,
  stops: {
    noSubject: 'Nobody can sign in by it: it names no subject.',
    otherIssuer: (issuer: string) =>
      `Nobody can sign in by it: the provider of this profile calls itself ${issuer}, and the link names another issuer.`,
  },
  history: 'Who changed it',
  said: { created: 'linked it', updated: 'relinked it' } satisfies Readonly<
    Record<string, string>
  > as Readonly<Record<string, string>>,
  relink: 'Relink',
  relinkTitle: (name: string) => `Relink ${name}`,
  relinkAbout: (profile: string) =>
    `The provider stays: ${profile}. For another one, delete this link, and create one there.`,
  takeIssuer: (issuer: string) => `Take ${issuer}`,
  unchanged: 'This is what the link has already.',
  free: (profile: string) => `Nobody else has this identity at ${profile}.`,
  held: (name: string) => `${name} has this identity already.`,
  heldHere: 'Another link of the same person has this identity already.',
  open: (name: string) => `Open ${name}`,
  move: (name: string) => `Move it here: take it from ${name} first`,
  otherIssuer: (issuer: string) =>
    `The provider of this profile calls itself ${issuer}. With another issuer nobody can sign in by this link.`,
  costs: 'What this costs',
  cost: {
    signedOut: (name: string) =>
      `${name} is signed out everywhere at once, and one-time passwords that were sent to them end.`,
    oldSubject: (subject: string, name: string) => `Whoever signs in as ${subject} is no longer ${name}.`,
    customer: (name: string) =>
      `If ${name} has set a password as a customer, it is deleted. One that a colleague has set stays.`,
    loses: (name: string) => `${name} loses this sign-in.`,
    left: (links: number, passwords: number) =>
      `They keep ${counted(links, 'other identity', 'other identities')} and ${counted(passwords, 'password', 'passwords')} in this realm.`,
    noneLeft: 'They keep no other identity and no password in this realm.',
    recorded: 'The history says that you did it.',
  },
  steps: (from: string, to: string) =>
    `Two steps: first the link of ${from} is deleted, then that of ${to} is changed. If the second fails, the first stays done, and you can try again here.`,
  taken: (name: string) => `${name} no longer has the identity. The second step is still to be done.`,
  submit: 'Relink',
  submitMove: 'Move and relink',
  changed:
    'Somebody has changed this sign-in since you opened the window. It is read again: look at it before you go on.',
  done: (name: string) => `${name} is relinked, and signed out everywhere.`,
}
