import { useEffect, useState } from 'react'
import {
  type Provider,
  readWays,
  requestCode,
  signInAsColleague,
  storeBefore,
  type Ways,
} from '../api/colleague.ts'
import { goToProvider, type Outcome } from '../api/provider.ts'
import { type Session, signInWithKey } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { Faults } from '../parts/faults.tsx'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import { faultsOf, type Input, SecretForm } from './secret-form.tsx'
import css from './shell.module.css'

interface KnownName {
  /** Who was signed in, if it must be the same again. */
  readonly name?: string | undefined
}

const KeyForm = ({ name }: KnownName) => (
  <SecretForm
    inputs={[
      { name: 'id', label: words.signIn.clientId, autoComplete: 'username', fixed: name },
      {
        ...{ name: 'secret', label: words.signIn.clientSecret, autoComplete: 'current-password' },
        isSecret: true,
      },
    ]}
    submitText={words.signIn.submit}
    refused={words.signIn.refusedKey}
    submit={({ id = '', secret = '' }) => signInWithKey(id, secret)}
  />
)

/** The ways of the store that the server has, or of the one that somebody has named. */
function useWays(store: string) {
  const [ways, setWays] = useState<Ways>()
  const [hasSeveralStores, setSeveralStores] = useState(false)
  useEffect(() => {
    let isCurrent = true
    const read = async () => {
      const only = await readWays('')
      if (!isCurrent) return
      setSeveralStores(!only)
      const found = only ?? (store ? await readWays(store) : undefined)
      if (isCurrent) setWays(found)
    }
    // Without them the password still works, and says what is wrong with the server.
    read().catch(() => {})
    return () => {
      isCurrent = false
    }
  }, [store])
  return { ways, hasSeveralStores }
}

interface ColleagueFormProps extends KnownName {
  readonly fault?: string | undefined
  /** The screen behind it must stay as it is. */
  readonly isOverScreen?: boolean
}

function ColleagueForm({ name, fault, isOverScreen = false }: ColleagueFormProps) {
  const [store, setStore] = useState(storeBefore)
  const [username, setUsername] = useState<string>()
  const [wantsCode, setWantsCode] = useState(false)
  const { ways, hasSeveralStores } = useWays(store)
  const ofStore: readonly Input[] = hasSeveralStores
    ? [{ name: 'store', label: words.signIn.store, autoComplete: 'on', first: store, onLeave: setStore }]
    : []
  const nameInput = { name: 'username', label: words.signIn.email, autoComplete: 'username', first: name }
  const secretInput = { name: 'secret', isSecret: true }
  if (username !== undefined)
    return (
      <>
        <p role="status">{words.signIn.codeSent(username)}</p>
        <SecretForm
          key="code"
          inputs={[
            { ...secretInput, label: words.signIn.code, autoComplete: 'one-time-code', isSecret: false },
          ]}
          submitText={words.signIn.submit}
          refused={words.signIn.refusedCode}
          submit={({ secret = '' }) =>
            signInAsColleague(
              { authentication_mechanism: 'passwordless', username, one_time_password_token: secret },
              store,
            )
          }
        />
        <Button onClick={() => setUsername(undefined)}>{words.signIn.back}</Button>
      </>
    )
  if (wantsCode)
    return (
      <>
        <SecretForm
          key="name"
          inputs={[nameInput, ...ofStore]}
          submitText={words.signIn.sendCode}
          refused={words.signIn.refusedCode}
          submit={async ({ username: typed = '', store: named = '' }) => {
            setStore(named)
            await requestCode(typed, named)
            setUsername(typed)
          }}
        />
        <Button onClick={() => setWantsCode(false)}>{words.signIn.usePassword}</Button>
      </>
    )
  return (
    <>
      {ways && <ProviderButtons ways={ways} isOverScreen={isOverScreen} person={name} />}
      <SecretForm
        key="password"
        inputs={[
          nameInput,
          { ...secretInput, label: words.signIn.password, autoComplete: 'current-password' },
          ...ofStore,
        ]}
        submitText={words.signIn.submit}
        refused={words.signIn.refusedColleague}
        fault={fault}
        submit={({ username: typed = '', secret = '', store: named = '' }) =>
          signInAsColleague(
            { authentication_mechanism: 'password', username: typed, password: secret },
            named,
          )
        }
      />
      {ways?.hasCodes && <Button onClick={() => setWantsCode(true)}>{words.signIn.useCode}</Button>}
    </>
  )
}

interface ProviderButtonsProps {
  readonly ways: Ways
  readonly isOverScreen: boolean
  /** Whose screen it is over. */
  readonly person: string | undefined
}

function ProviderButtons({ ways, isOverScreen, person }: ProviderButtonsProps) {
  const [fault, setFault] = useState<string>()
  if (ways.providers.length === 0) return null
  const go = async (provider: Provider) => {
    const failure = await goToProvider(ways, provider, isOverScreen, person)
    setFault(failure && words.signIn.failures[failure](new URL(ways.redirectUri).origin))
  }
  return (
    <div className={css.signIn}>
      {ways.providers.map((provider) => (
        <Button key={provider.id} onClick={() => go(provider)}>
          {words.signIn.continueWith(provider.name)}
        </Button>
      ))}
      <Faults texts={fault ? [fault] : []} />
      <p className={css.or}>{words.signIn.or}</p>
    </div>
  )
}

/** What to say of a sign-in at a provider that led to nothing. */
function faultOf(outcome: Outcome): string | undefined {
  if (outcome.kind === 'failed') return words.signIn.failures[outcome.failure](location.origin)
  return outcome.kind === 'refused'
    ? faultsOf(outcome.error, words.signIn.failures.late()).join(' ')
    : undefined
}

export function SignInPage({ outcome }: { readonly outcome: Outcome }) {
  const [by, setBy] = useState<Session['by']>('colleague')
  const other = by === 'key' ? 'colleague' : 'key'
  return (
    <main className={css.signInPage}>
      <p className={css.brand}>{words.product}</p>
      <h1>{words.signIn.title}</h1>
      <p>{words.signIn.about[by]}</p>
      {by === 'key' ? <KeyForm /> : <ColleagueForm fault={faultOf(outcome)} />}
      <Button onClick={() => setBy(other)}>{words.signIn.use[other]}</Button>
    </main>
  )
}

/** Over the page, when its session has ended. */
export const SignInWindow = ({ session: { by, name } }: { readonly session: Session }) => (
  <Window title={words.signIn.title} isOpen>
    <p>{words.signIn.ended(name)}</p>
    {by === 'key' ? <KeyForm name={name} /> : <ColleagueForm name={name} isOverScreen />}
  </Window>
)

/** In the window of a sign-in at a provider. The screen behind it goes on by itself, if it is the same person's. */
export function SignedInWindow({ outcome }: { readonly outcome: Outcome }) {
  const { inWindow, inWindowAbout, otherInWindow, otherInWindowAbout } = words.signIn
  const isOther = outcome.kind === 'other-person'
  return (
    <main className={css.signInPage}>
      <p className={css.brand}>{words.product}</p>
      <h1>{isOther ? otherInWindow(outcome.own) : inWindow}</h1>
      <p>{isOther ? otherInWindowAbout(outcome.person, outcome.own) : inWindowAbout}</p>
    </main>
  )
}
