import { addressOfPage, encodePath } from '../content/tree/page-address.ts'
import { missing } from '../errors.ts'
import { answerFeed } from './pages/answer-feed.ts'
import { answerHistory } from './pages/answer-history.ts'
import { answerNav } from './pages/answer-nav.ts'
import { type Answered, answerPage } from './pages/answer-page.ts'
import { answerPrograms, isForPrograms } from './pages/answer-programs.ts'
import { nothingHere } from './pages/nothing-here.ts'
import { answerSearch } from './pages/search/answer-search.ts'
import type { Parameters } from './place/parameters.ts'
import type { SitePlace } from './place/place.ts'
import { comparedIn } from './place/scope.ts'
import type { PageForm } from './sending/accepts.ts'
import type { ScopeOpened } from './travel/open-scope.ts'
import { pageById } from './travel/same-page.ts'

/** What answers depend on besides their place. */
type Question = {
  parameters: Parameters
  form: PageForm
  /** Whether the path of the request ends with a slash. */
  endsWithSlash: boolean
}

/** Returns the answer to an address in what a path below `~/` leads to. */
export async function answerScoped(
  place: SitePlace,
  scoped: ScopeOpened,
  question: Question,
): Promise<Answered> {
  if (scoped === 'refused') return nothingHere(place, { refused: true })
  if (scoped === 'unknown') return nothingHere(place, { unknownVersion: true })
  return 'redirect' in scoped ? { ...scoped, status: 302 } : answer(scoped, question)
}

/** Returns the answer to an address: of one of the reserved names, or a page. */
async function answer(place: SitePlace, question: Question): Promise<Answered> {
  const { parameters, form, endsWithSlash } = question
  const [first, second, ...rest] = place.path.split('/')
  if (first === '~gitbook' && second === 'search') return answerSearch(place, parameters)
  if (first === '~stemma' && second === 'nav' && rest.length > 0)
    return answerNav(place, rest[0] ?? '', rest.slice(1).join('/'))
  if (first === '~stemma' && second === 'page')
    return { redirect: addressById(place, rest[0] ?? '') }

  const current = place.scope ? undefined : await answerCurrent(place, parameters)

  return (
    current ??
    answerPage(place, {
      form,
      endsWithSlash,
      tag: parameters.tag,
      isThanked: parameters.thanks === '1',
    })
  )
}

/** Returns the answer to an address that earlier versions do not have. */
async function answerCurrent(
  place: SitePlace,
  { before }: Parameters,
): Promise<Answered | undefined> {
  const [first, second, id = ''] = place.path.split('/')
  if (first === '~stemma' && second === 'history') return answerHistory(place, id, before)
  return isForPrograms(place.path) ? answerPrograms(place) : answerFeed(place)
}

/** Returns the address of a page by its id; in a comparison also that of a removed page. */
function addressById(place: SitePlace, id: string): string {
  const { open, base, scope } = place
  const { content } = open.shown
  const node = pageById(place, id)
  const removed = comparedIn(scope)?.before.shown.content.pageById.get(id)
  if (removed && !node) return base + encodePath(removed.path)
  if (!node) throw missing('page', id)
  return addressOfPage(base, content, node)
}
