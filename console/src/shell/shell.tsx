import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { sessionStore, signOut } from '../api/session.ts'
import { Button } from '../parts/button.tsx'
import { rail } from '../screens/areas.ts'
import { words } from '../words/words.ts'
import { Finder } from './finder.tsx'
import css from './shell.module.css'
import { SignInPage, SignInWindow, WelcomePage } from './sign-in.tsx'

/** What is around every screen: the rail, who is signed in, and the ways to other screens. */
export function Shell() {
  const { session, hasEnded } = useSyncExternalStore(sessionStore.subscribe, sessionStore.get)
  const [isFinding, setFinding] = useState(false)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setFinding(true)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  const { pathname, hash } = useLocation()
  if (!session) return pathname === '/welcome' && hash ? <WelcomePage hash={hash} /> : <SignInPage />
  return (
    <div className={css.shell}>
      <a className={css.skip} href="#content">
        {words.shell.skip}
      </a>
      <header className={css.top}>
        <Link to="/" className={css.brand}>
          {words.product}
        </Link>
        <p className={session.by === 'key' ? css.banner : css.who}>
          {words.signIn.banner[session.by](session.name, session.role)}
        </p>
        <Button onClick={() => setFinding(true)}>
          {words.shell.find} <kbd>{words.shell.findHint}</kbd>
        </Button>
        <Button onClick={signOut}>{words.signIn.out}</Button>
      </header>
      <Rail />
      <main id="content" className={css.content} tabIndex={-1}>
        <Outlet />
      </main>
      <BottomBar onFind={() => setFinding(true)} />
      <Finder isOpen={isFinding} onClose={() => setFinding(false)} />
      {hasEnded && <SignInWindow session={session} />}
    </div>
  )
}

const Rail = () => (
  <nav className={css.rail} aria-label={words.shell.screens}>
    {rail.map(({ title, links }) => (
      <section key={title} aria-label={title}>
        <h2>{title}</h2>
        <ul>
          {links.map(({ id, title, path }) => (
            <li key={id}>
              <Link to="/$" params={{ _splat: path.slice(1) }} activeOptions={{ includeSearch: false }}>
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </section>
    ))}
    <Link to="/" activeOptions={{ exact: true }}>
      {words.shell.home}
    </Link>
  </nav>
)

/** In place of the rail on a narrow screen. */
function BottomBar({ onFind }: { onFind(): void }) {
  const [first] = rail
  return (
    <nav className={css.bottom} aria-label={words.shell.more}>
      {['orders', 'products', 'accounts'].map((id) => {
        const link = first?.links.find((one) => one.id === id)
        return (
          link && (
            <Link
              key={id}
              to="/$"
              params={{ _splat: link.path.slice(1) }}
              activeOptions={{ includeSearch: false }}
            >
              {link.title}
            </Link>
          )
        )
      })}
      <Link to="/" activeOptions={{ exact: true }}>
        {words.shell.more}
      </Link>
      <button type="button" onClick={onFind} aria-label={words.shell.find}>
        ⌕
      </button>
    </nav>
  )
}
