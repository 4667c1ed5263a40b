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
import { StrictMode, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import '../parts/tokens.css'
import { ApiProblem } from '../api/problem.ts'
import { restoreSession } from '../api/session.ts'
import { readSearch } from '../lists/address.ts'
import { HomeScreen } from '../screens/home-screen.tsx'
import { ResourceScreen } from '../screens/resource-screen.tsx'
import { languageStore, speakChosen, words } from '../words/words.ts'
import { Shell } from './shell.tsx'

const root = createRootRoute({ component: Shell })
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

await speakChosen()
// An invitation is for somebody who has not signed in yet.
if (!location.pathname.endsWith('/welcome')) await restoreSession()
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <Console />
  </StrictMode>,
)
