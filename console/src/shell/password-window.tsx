import { useState } from 'react'
import { changePassword } from '../api/colleague.ts'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'
import { SecretForm } from './secret-form.tsx'

/** A colleague changes their own password. */
export function PasswordWindow({ onClose }: { onClose(): void }) {
  const [isDone, setDone] = useState(false)
  const { title, about, current, next, submit, done } = words.password
  const secret = { isSecret: true }
  return (
    <Window title={title} isOpen onClose={onClose}>
      {isDone ? (
        <p role="status">{done}</p>
      ) : (
        <>
          <p>{about}</p>
          <SecretForm
            inputs={[
              { ...secret, name: 'current', label: current, autoComplete: 'current-password' },
              { ...secret, name: 'next', label: next, autoComplete: 'new-password' },
            ]}
            submitText={submit}
            refused={words.signIn.ended('')}
            submit={async (values) => {
              await changePassword(values.current ?? '', values.next ?? '')
              setDone(true)
            }}
          />
        </>
      )}
      <p className={parts.row}>
        <Button onClick={onClose}>{isDone ? words.close : words.cancel}</Button>
      </p>
    </Window>
  )
}
