import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { signOut } from '../api/colleague.ts'
import { useDrafts } from '../api/drafts.ts'
import type { Outcome } from '../api/provider.ts'
import { useRights } from '../api/rights.ts'
import { type Session, sessionStore } from '../api/session.ts'
import { listenToKeys, useActions } from '../parts/actions.ts'
import { Button } from '../parts/button.tsx'
import { DraftMark } from '../parts/draft-mark.tsx'
import { draftsIn, railOf } from '../screens/areas.ts'
import { zoneStore } from '../words/times.ts'
import { words } from '../words/words.ts'
import { Finder } from './finder.tsx'
import { useOwnParts } from './own-parts.ts'
import css from './shell.module.css'
import { useStoreSettings } from './store-settings.ts'

// Who is signed in needs them later, or never.
const signIn = () => import('./sign-in.tsx')
const SignInPage = lazy(() => signIn().then(({ SignInPage }) => ({ default: SignInPage })))
const SignInWindow = lazy(() => signIn().then(({ SignInWindow }) => ({ default: SignInWindow })))
const WelcomePage = lazy(() => import('./welcome.tsx').then(({ WelcomePage }) => ({ default: WelcomePage })))
const Settings = lazy(() => import('./settings.tsx').then(({ Settings }) => ({ default: Settings })))
const PasswordWindow = lazy(() =>
  import('./password-window.tsx').then(({ PasswordWindow }) => ({ default: PasswordWindow })),
)
const KeysWindow = lazy(() => import('./keys-window.tsx').then(({ KeysWindow }) => ({ default: KeysWindow })))

/** Asks who is there, and then shows the console. */
export function Shell({ outcome }: { readonly outcome: Outcome }) {
  const { session, hasEnded } = useSyncExternalStore(sessionStore.subscribe, sessionStore.get)
  const { pathname, hash } = useLocation()
  if (!session)
    return (
      <Suspense>
        {pathname === '/welcome' && hash ? <WelcomePage hash={hash} /> : <SignInPage outcome={outcome} />}
      </Suspense>
    )
  return (
    <>
      <SignedIn session={session} />
      <Suspense>{hasEnded && <SignInWindow session={session} />}</Suspense>
    </>
  )
}

/** What is around every screen: the rail, who is signed in, and the ways to other screens. */
function SignedIn({ session }: { readonly session: Session }) {
  const [opened, setOpened] = useState<'finder' | 'keys' | 'password'>()
  const close = () => setOpened(undefined)
  const store = useStoreSettings()
  useOwnParts()
  useEffect(listenToKeys, [])
  // Before it is needed: another version of the server has other files.
  useEffect(() => void signIn().catch(() => {}), [])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      setOpened('finder')
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  useActions([
    ...useWays(),
    { title: words.shell.keys, keys: words.shell.keysHint, run: () => setOpened('keys') },
  ])
  return (
    <div className={css.shell}>
      <a className={css.skip} href="#content">
        {words.shell.skip}
      </a>
      <header className={css.top}>
        <Link to="/" className={css.brand}>
          {store.name ?? words.product}
        </Link>
        <p className={session.by === 'key' ? css.banner : css.who}>
          {words.signIn.banner[session.by](session.name, session.role)}
        </p>
        <Button onClick={() => setOpened('finder')}>
          {words.shell.find} <kbd>{words.shell.findHint}</kbd>
        </Button>
        <Suspense fallback={<Button disabled>⚙</Button>}>
          <Settings {...(session.by === 'colleague' && { onPassword: () => setOpened('password') })} />
        </Suspense>
        <Button onClick={signOut}>{words.signIn.out}</Button>
      </header>
      <Rail />
      <main id="content" className={css.content} tabIndex={-1}>
        <Outlet />
        <ZoneLine />
      </main>
      <BottomBar onFind={() => setOpened('finder')} />
      {opened === 'finder' && <Finder onClose={close} />}
      <Suspense>
        {opened === 'keys' && <KeysWindow onClose={close} />}
        {opened === 'password' && <PasswordWindow onClose={close} />}
      </Suspense>
    </div>
  )
}

/** The keys that lead to the screens of the rail: `g` and the first letter of these. */
const letters = { orders: 'o', products: 'p', customers: 'c', accounts: 'a', catalogs: 't', stocks: 's' }

function useWays() {
  const navigate = useNavigate()
  const links = railOf(useRights()).flatMap((group) => group.links)
  const screens = Object.entries(letters).flatMap(([id, letter]) => {
    const link = links.find((one) => one.id === id)
    if (!link) return []
    const run = () => void navigate({ to: '/$', params: { _splat: link.path.slice(1) } })
    return [{ title: words.shell.goTo(link.title), keys: `g ${letter}`, run }]
  })
  const run = () => void navigate({ to: '/' })
  return [...screens, { title: words.shell.goTo(words.shell.home), keys: 'g h', run }]
}

/** Whose clock the times on the screen have. */
function ZoneLine() {
  const { name, isOfStore } = useSyncExternalStore(zoneStore.subscribe, zoneStore.get)
  return <p className={css.zone}>{words.shell.times(name, isOfStore)}</p>
}

function Rail() {
  const groups = railOf(useRights())
  const drafts = useDrafts()
  const marked = draftsIn(
    groups.flatMap(({ links }) => links),
    drafts,
  )
  return (
    <nav className={css.rail} aria-label={words.shell.screens}>
      {groups.map(({ title, links }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <ul>
            {links.map(({ id, title, path, item }) => (
              <li key={id}>
                {/* What stands below the only one of its kind is something else: custom APIs below the settings. */}
                <Link
                  to="/$"
                  params={{ _splat: path.slice(1) }}
                  activeOptions={{ includeSearch: false, exact: path === item }}
                >
                  {title}
                  {marked.has(id) && <DraftMark />}
                </Link>
              </li>
            ))}
          </ul>
        </section>
      ))}
      {drafts.length > 0 && <Link to="/drafts">{words.draft.all(drafts.length)}</Link>}
      <Link to="/" activeOptions={{ exact: true }}>
        {words.shell.home}
      </Link>
    </nav>
  )
}

/** In place of the rail on a narrow screen. */
function BottomBar({ onFind }: { onFind(): void }) {
  const links = railOf(useRights()).flatMap((group) => group.links)
  return (
    <nav className={css.bottom} aria-label={words.shell.more}>
      {['orders', 'products', 'accounts'].map((id) => {
        const link = links.find((one) => one.id === id)
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
