import { valueAt } from '../api/objects.ts'
import { Button } from '../parts/button.tsx'
import parts from '../parts/parts.module.css'
import { Snippet } from '../parts/snippet.tsx'
import { Window } from '../parts/window.tsx'
import { words } from '../words/words.ts'

/** What only the response to a create has. */
export type Secret =
  | { readonly kind: 'link' | 'client_secret'; readonly text: string }
  | { readonly kind: 'mailed'; readonly text: string }

const kinds = ['link', 'client_secret'] as const

/** The secret in the response to a create, if it has one, or where it was mailed to. */
export function secretIn(body: unknown): Secret | undefined {
  for (const kind of kinds) {
    const text = valueAt(body, `data.${kind}`)
    if (typeof text === 'string') return { kind, text }
  }
  const isMailed = valueAt(body, 'data.delivery') === 'mail'
  return isMailed ? { kind: 'mailed', text: String(valueAt(body, 'data.email')) } : undefined
}

/** Shows a secret once. It closes only when somebody says that they have it. */
export function SecretWindow({ secret, onDone }: { readonly secret: Secret; onDone(): void }) {
  const { title, about, mailed, stored } = words.secret
  if (secret.kind === 'mailed')
    return (
      <Window title={words.secret.sent} isOpen onClose={onDone}>
        <p>{mailed(secret.text)}</p>
        <p className={parts.row}>
          <Button look="main" onClick={onDone}>
            {words.close}
          </Button>
        </p>
      </Window>
    )
  const label = words.secret[secret.kind]
  return (
    <Window title={title} isOpen>
      <p>{label}</p>
      <Snippet text={secret.text} label={label} />
      <p>{about}</p>
      <p className={parts.row}>
        <Button look="main" onClick={onDone}>
          {stored}
        </Button>
      </p>
    </Window>
  )
}
