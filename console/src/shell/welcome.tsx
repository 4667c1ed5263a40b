import { useNavigate } from '@tanstack/react-router'
import { signInAsColleague } from '../api/colleague.ts'
import { words } from '../words/words.ts'
import { type Input, SecretForm } from './secret-form.tsx'
import css from './shell.module.css'

/**
 * Where the link of an invitation leads: `#<store>.<secret>`, which browsers send to nobody. The link for the first
 * colleague says so in its secret: nobody knows their name yet.
 */
export function WelcomePage({ hash }: { readonly hash: string }) {
  const navigate = useNavigate()
  const [store = '', ...parts] = hash.split('.')
  const invitation = parts.join('.')
  const isFirst = parts[0] === 'first'
  const ofFirst: readonly Input[] = [
    { name: 'name', label: words.signIn.name, autoComplete: 'name' },
    { name: 'email', label: words.signIn.email, autoComplete: 'username' },
  ]
  return (
    <main className={css.signInPage}>
      <p className={css.brand}>{words.product}</p>
      <h1>{words.signIn.welcome}</h1>
      <p>{isFirst ? words.signIn.welcomeFirst : words.signIn.welcomeAbout}</p>
      <SecretForm
        inputs={[
          ...(isFirst ? ofFirst : []),
          {
            ...{ name: 'password', label: words.signIn.newPassword, autoComplete: 'new-password' },
            isSecret: true,
          },
        ]}
        submitText={words.signIn.submitWelcome}
        refused={isFirst ? words.signIn.refusedFirst : words.signIn.refusedWelcome}
        submit={async ({ password = '', ...person }) => {
          const proof = { authentication_mechanism: 'invitation', invitation, password, ...person } as const
          await signInAsColleague(proof, store)
          // The link is used up, and its secret leaves the address.
          await navigate({ to: '/', replace: true })
        }}
      />
    </main>
  )
}
