import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { ApiProblem } from '../api/problem.ts'
import { type Session, signInAsColleague, signInWithKey } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import css from './shell.module.css'

interface Input {
  readonly name: string
  readonly label: string
  readonly autoComplete: string
  readonly isSecret?: boolean
  /** What is on the screen belongs to this person or key, so it cannot be changed. */
  readonly fixed?: string | undefined
}

interface SecretFormProps {
  readonly inputs: readonly Input[]
  readonly submitText: string
  /** What to say if the server refuses the secret. */
  readonly refused: string
  submit(values: Readonly<Record<string, string>>): Promise<void>
}

/** Asks for what somebody signs in with. */
function SecretForm({ inputs, submitText, refused, submit }: SecretFormProps) {
  const id = useId()
  const [faults, setFaults] = useState<readonly string[]>([])
  const [isWaiting, setWaiting] = useState(false)
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setWaiting(true)
    setFaults([])
    try {
      await submit(Object.fromEntries(inputs.map(({ name }) => [name, String(form.get(name)).trim()])))
    } catch (error) {
      const isRefused = error instanceof ApiProblem && error.status === 401
      setFaults(isRefused ? [refused] : faultTexts(error))
      setWaiting(false)
    }
  }
  return (
    <form className={css.signIn} onSubmit={onSubmit}>
      {inputs.map(({ name, label, autoComplete, isSecret, fixed }) => (
        <div key={name} className={css.signIn}>
          <label htmlFor={`${id}-${name}`}>{label}</label>
          <input
            id={`${id}-${name}`}
            className={parts.input}
            name={name}
            type={isSecret ? 'password' : 'text'}
            defaultValue={fixed ?? ''}
            readOnly={fixed !== undefined}
            autoComplete={autoComplete}
            spellCheck={false}
            required
          />
        </div>
      ))}
      <Faults texts={faults} />
      <Button look="main" type="submit" disabled={isWaiting}>
        {submitText}
      </Button>
    </form>
  )
}

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

/** The server asks for the store where it has several. */
function ColleagueForm({ name }: KnownName) {
  const [asksForStore, setAsksForStore] = useState(false)
  return (
    <SecretForm
      inputs={[
        { name: 'username', label: words.signIn.email, autoComplete: 'username', fixed: name },
        {
          ...{ name: 'password', label: words.signIn.password, autoComplete: 'current-password' },
          isSecret: true,
        },
        ...(asksForStore ? [{ name: 'store', label: words.signIn.store, autoComplete: 'on' }] : []),
      ]}
      submitText={words.signIn.submit}
      refused={words.signIn.refusedColleague}
      submit={async ({ username = '', password = '', store }) => {
        try {
          await signInAsColleague({ username, password, ...(store && { store }) })
        } catch (error) {
          if (error instanceof ApiProblem && error.faults.some(({ source }) => source === 'data.store'))
            setAsksForStore(true)
          throw error
        }
      }}
    />
  )
}

export function SignInPage() {
  const [by, setBy] = useState<Session['by']>('colleague')
  const other = by === 'key' ? 'colleague' : 'key'
  return (
    <main className={css.signInPage}>
      <p className={css.brand}>{words.product}</p>
      <h1>{words.signIn.title}</h1>
      <p>{words.signIn.about[by]}</p>
      {by === 'key' ? <KeyForm /> : <ColleagueForm />}
      <Button onClick={() => setBy(other)}>{words.signIn.use[other]}</Button>
    </main>
  )
}

/** Over the page, when its session has ended. */
export const SignInWindow = ({ session: { by, name } }: { readonly session: Session }) => (
  <Window title={words.signIn.title} isOpen>
    <p>{words.signIn.ended}</p>
    {by === 'key' ? <KeyForm name={name} /> : <ColleagueForm name={name} />}
  </Window>
)

/** Where the link of an invitation leads: `#<store>.<secret>`, which browsers send to nobody. */
export function WelcomePage({ hash }: { readonly hash: string }) {
  const navigate = useNavigate()
  const [store = '', invitation = ''] = hash.split('.')
  return (
    <main className={css.signInPage}>
      <p className={css.brand}>{words.product}</p>
      <h1>{words.signIn.welcome}</h1>
      <p>{words.signIn.welcomeAbout}</p>
      <SecretForm
        inputs={[
          {
            ...{ name: 'password', label: words.signIn.newPassword, autoComplete: 'new-password' },
            isSecret: true,
          },
        ]}
        submitText={words.signIn.submitWelcome}
        refused={words.signIn.refusedWelcome}
        submit={async ({ password = '' }) => {
          await signInAsColleague({ store, invitation, password })
          // The link is used up, and its secret leaves the address.
          await navigate({ to: '/', replace: true })
        }}
      />
    </main>
  )
}
