import { type FormEvent, useId, useState } from 'react'
import { ApiProblem } from '../api/problem.ts'
import { OtherPerson } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { Faults, faultTexts } from '../parts/faults.tsx'
import parts from '../parts/parts.module.css'
import { words } from '../words/words.ts'
import css from './shell.module.css'

export interface Input {
  readonly name: string
  readonly label: string
  readonly autoComplete: string
  readonly isSecret?: boolean
  /** What is on the screen belongs to this key, so it cannot be changed. */
  readonly fixed?: string | undefined
  readonly first?: string | undefined
  /** Called with the value when the field is left. */
  onLeave?(value: string): void
}

interface SecretFormProps {
  readonly inputs: readonly Input[]
  readonly submitText: string
  /** What to say if the server refuses the secret. */
  readonly refused: string
  /** Why the last try failed, before this form was shown. */
  readonly fault?: string | undefined
  submit(values: Readonly<Record<string, string>>): Promise<void>
}

/** Asks for what somebody signs in with. */
export function SecretForm({ inputs, submitText, refused, fault, submit }: SecretFormProps) {
  const id = useId()
  const [faults, setFaults] = useState<readonly string[]>(fault ? [fault] : [])
  const [isWaiting, setWaiting] = useState(false)
  const onSubmit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setWaiting(true)
    setFaults([])
    try {
      await submit(
        Object.fromEntries(
          inputs.map(({ name, isSecret }) => {
            const text = String(form.get(name))
            // A space may be a part of a password.
            return [name, isSecret ? text : text.trim()]
          }),
        ),
      )
    } catch (error) {
      setFaults(faultsOf(error, refused))
    }
    setWaiting(false)
  }
  return (
    <form className={css.signIn} onSubmit={onSubmit}>
      {inputs.map(({ name, label, autoComplete, isSecret, fixed, first = fixed, onLeave }) => (
        <div key={name} className={css.signIn}>
          <label htmlFor={`${id}-${name}`}>{label}</label>
          <input
            id={`${id}-${name}`}
            className={parts.input}
            name={name}
            type={isSecret ? 'password' : 'text'}
            defaultValue={first ?? ''}
            readOnly={fixed !== undefined}
            autoComplete={autoComplete}
            spellCheck={false}
            onBlur={onLeave && (({ target }) => onLeave(target.value.trim()))}
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

/** What to say of a sign-in that failed; `refused` if the server knows nobody with this secret. */
export function faultsOf(error: unknown, refused: string): readonly string[] {
  if (error instanceof OtherPerson) return [words.signIn.otherPerson(error.message)]
  return error instanceof ApiProblem && error.status === 401 ? [refused] : faultTexts(error)
}
