import { CSPProvider } from '@base-ui/react/csp-provider'
import { DirectionProvider } from '@base-ui/react/direction-provider'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  RouterProvider,
} from '@tanstack/react-router'
import { lazy, StrictMode, Suspense, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import '../parts/tokens.css'
import { listenToOtherTabs, restoreSession } from '../api/colleague.ts'
import { ApiProblem } from '../api/problem.ts'
import type { Outcome } from '../api/provider.ts'
import { readSearch } from '../lists/address.ts'
import { HomeScreen } from '../screens/home-screen.tsx'
import { ResourceScreen } from '../screens/resource-screen.tsx'
import { languageStore, speakChosen, words } from '../words/words.ts'
import { Shell } from './shell.tsx'

await speakChosen()
const outcome: Outcome = location.pathname.endsWith('/signed-in')
  ? await import('../api/provider.ts').then(({ comeBackFromProvider }) => comeBackFromProvider())
  : { kind: 'none' }
// An invitation is for somebody who has not signed in yet.
if (outcome.kind === 'none' && !location.pathname.endsWith('/welcome')) await restoreSession()
listenToOtherTabs()
// Not all browsers let a window close itself that was at a provider: so it also says what to do.
if (outcome.kind === 'in-window') window.close()

const SignedInWindow = lazy(() =>
  import('./sign-in.tsx').then(({ SignedInWindow }) => ({ default: SignedInWindow })),
)

const root = createRootRoute({ component: () => <Shell outcome={outcome} /> })
const home = createRoute({ getParentRoute: () => root, path: '/', component: HomeScreen })
const resource = createRoute({
  getParentRoute: () => root,
  path: '/$',
  component: ResourceScreen,
  validateSearch: readSearch,
})
const drafts = createRoute({
  getParentRoute: () => root,
  path: '/drafts',
  component: lazyRouteComponent(() => import('../screens/drafts-screen.tsx'), 'DraftsScreen'),
})
const router = createRouter({
  routeTree: root.addChildren([home, drafts, resource]),
  basepath: '/console',
  scrollRestoration: true,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}

/** What the server refuses stays refused; only silence is worth another try. */
const isWorthAnotherTry = (failures: number, error: Error) =>
  failures < 2 && error instanceof ApiProblem && (error.status === 0 || error.status === 503)

const queries = new QueryClient({
  defaultOptions: { queries: { retry: isWorthAnotherTry, staleTime: 2000 } },
})

/** Another language draws everything anew. */
function Console() {
  const language = useSyncExternalStore(languageStore.subscribe, languageStore.get)
  return (
    <DirectionProvider key={language} direction={words.direction}>
      <CSPProvider disableStyleElements>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </CSPProvider>
    </DirectionProvider>
  )
}

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    {outcome.kind === 'in-window' || outcome.kind === 'other-person' ? (
      <Suspense>
        <SignedInWindow outcome={outcome} />
      </Suspense>
    ) : (
      <Console />
    )}
  </StrictMode>,
)
