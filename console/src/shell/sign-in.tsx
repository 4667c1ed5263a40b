import { type FormEvent, useId, useState } from 'react'
import { ApiProblem } from '../api/problem.ts'
import { signIn } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import css from './shell.module.css'

/** Asks for an application key. */
function SignInForm({ clientId = '' }: { readonly clientId?: string | undefined }) {
  const id = useId()
  const [name, setName] = useState(clientId)
  const [secret, setSecret] = useState('')
  const [faults, setFaults] = useState<readonly string[]>([])
  const [isWaiting, setWaiting] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setWaiting(true)
    setFaults([])
    try {
      await signIn(name.trim(), secret.trim())
    } catch (error) {
      const isRefused = error instanceof ApiProblem && [400, 401].includes(error.status)
      setFaults(isRefused ? [words.signIn.refused] : faultTexts(error))
      setWaiting(false)
    }
  }
  return (
    <form className={css.signIn} onSubmit={submit}>
      <label htmlFor={`${id}-id`}>{words.signIn.clientId}</label>
      <input
        id={`${id}-id`}
        className={parts.input}
        value={name}
        required
        // What is on the screen belongs to this key.
        readOnly={clientId !== ''}
        autoComplete="username"
        spellCheck={false}
        onChange={({ target }) => setName(target.value)}
      />
      <label htmlFor={`${id}-secret`}>{words.signIn.clientSecret}</label>
      <input
        id={`${id}-secret`}
        className={parts.input}
        type="password"
        value={secret}
        required
        autoComplete="current-password"
        onChange={({ target }) => setSecret(target.value)}
      />
      <Faults texts={faults} />
      <Button look="main" type="submit" disabled={isWaiting}>
        {words.signIn.submit}
      </Button>
    </form>
  )
}

export const SignInPage = () => (
  <main className={css.signInPage}>
    <p className={css.brand}>{words.product}</p>
    <h1>{words.signIn.title}</h1>
    <p>{words.signIn.about}</p>
    <SignInForm />
  </main>
)

/** Over the page, when its session has ended. */
export const SignInWindow = ({ clientId }: { readonly clientId: string }) => (
  <Window title={words.signIn.title} isOpen>
    <p>{words.signIn.ended}</p>
    <SignInForm clientId={clientId} />
  </Window>
)
