import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { lazy, Suspense } from 'react'
import type { ResourceFields } from '../api/document.ts'
import { useOwn } from '../api/own.ts'
import { loadFields, type Place, placeAt } from '../api/resources.ts'
import { merchantRealmQuery, refersToColleagues } from '../fields/colleagues.ts'
import type { ListSearch } from '../lists/address.ts'
import { Notice } from '../parts/notice.tsx'
import type { RecordParts } from '../records/record-parts.ts'
import { words } from '../words/words.ts'
import { changeManyOf, loadRecordParts, pages } from './more-screens.ts'
import { PageScreen } from './page-screen.tsx'

const ListScreen = lazy(() =>
  import('../lists/list-screen.tsx').then(({ ListScreen }) => ({ default: ListScreen })),
)
const RecordScreen = lazy(() =>
  import('../records/record-screen.tsx').then(({ RecordScreen }) => ({ default: RecordScreen })),
)
const ListDeeds = lazy(() =>
  import('../records/list-deeds.tsx').then(({ ListDeeds }) => ({ default: ListDeeds })),
)
const FormScreen = lazy(() => import('./form-screen.tsx').then(({ FormScreen }) => ({ default: FormScreen })))

/** The screen of an address: after `/console` it is that of a list or of an object of the API. */
export function ResourceScreen() {
  const { _splat = '' } = useParams({ from: '/$' })
  const path = `/${_splat.replace(/\/+$/, '')}`
  const own = useOwn()
  const search: ListSearch = useSearch({ from: '/$' })
  const place = placeAt(path)
  const id = place?.resource.id
  const fields = useQuery({
    queryKey: ['fields', id, own.version],
    queryFn: () => (place ? loadFields(place.resource) : { shown: [] }),
    staleTime: Number.POSITIVE_INFINITY,
    // Those of the document, until those that the store has added are known.
    placeholderData: (before, last) => (last?.queryKey[1] === id ? keepPreviousData(before) : undefined),
  })
  const more = useQuery({
    queryKey: ['record-parts', id],
    queryFn: () => loadRecordParts(id ?? ''),
    staleTime: Number.POSITIVE_INFINITY,
    enabled: place?.itemPath !== undefined,
  })
  const namesColleagues = fields.data !== undefined && refersToColleagues(fields.data, path)
  // Without it, colleagues are shown by their ids.
  const realm = useQuery({ ...merchantRealmQuery, enabled: namesColleagues })
  const page = pages.find((one) => one.path === path)
  if (page) return <PageScreen page={page} />
  // A form begins with all of its fields.
  if (own.version === 0 && (!place || search.form)) return <p role="status">{words.loading}</p>
  if (!place) return <Notice isPage sign="∅" title={words.shell.nowhere} about={words.shell.nowhereAbout} />
  if (!fields.data || more.isLoading || realm.isLoading) return <p role="status">{words.loading}</p>
  return (
    <Suspense fallback={<p role="status">{words.loading}</p>}>
      <PlaceScreen key={path} place={place} fields={fields.data} more={more.data} />
    </Suspense>
  )
}

interface PlaceScreenProps {
  readonly place: Place
  readonly fields: ResourceFields
  readonly more: RecordParts | undefined
}

function PlaceScreen({ place, fields, more }: PlaceScreenProps) {
  const { resource, listPath, itemPath } = place
  const search: ListSearch = useSearch({ from: '/$' })
  const navigate = useNavigate()
  const queries = useQueryClient()
  const goTo = (path: string) => navigate({ to: '/$', params: { _splat: path.slice(1) } })
  const onSearch = (change: Partial<Record<keyof ListSearch, string | number | undefined>>) =>
    navigate({ to: '.', search: (before: ListSearch) => ({ ...before, ...change }) as ListSearch })
  const onDeleted = async () => {
    queries.removeQueries({ queryKey: ['item', itemPath] })
    await queries.invalidateQueries({ queryKey: ['list'] })
    await goTo(listPath)
  }
  if (search.form === 'new' || (search.form === 'edit' && itemPath))
    return (
      <FormScreen
        {...{ place, fields }}
        preset={search.preset === undefined ? undefined : { path: search.preset, value: search.value ?? '' }}
        onDone={(path) => goTo(search.back ?? path)}
        onCancel={() => (search.back ? goTo(search.back) : onSearch({ form: undefined }))}
      />
    )
  if (itemPath)
    return (
      <RecordScreen
        {...{ resource, fields, listPath, itemPath, more, onDeleted }}
        tab={search.tab}
        onTab={(tab) =>
          navigate({ to: '.', search: (before: ListSearch) => ({ ...before, tab }), replace: true })
        }
        onEdit={() => onSearch({ form: 'edit' })}
      />
    )
  const actions = fields.listActions ?? []
  const onCreateIn = (path: string) =>
    void navigate({ to: '/$', params: { _splat: path.slice(1) }, search: { form: 'new' } })
  return (
    <ListScreen
      {...{ resource, fields, listPath, search, onSearch, onCreateIn }}
      changeMany={changeManyOf(resource)}
      onGo={goTo}
    >
      <ListDeeds {...{ resource, actions, listPath }} filter={search.filter} />
    </ListScreen>
  )
}
