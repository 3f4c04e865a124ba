import type { PrintSubject } from '../../actions/print-content.ts'
import { choosePages, type PrintWish } from '../../actions/print-pages.ts'
import type { RevisionView } from '../../content/view.ts'
import type { Repository } from '../../git/repository.ts'
import type { SpaceRow } from '../../store/rows.ts'

type Revision = { space: SpaceRow; repo: Repository; view: RevisionView }

/** The book that is wanted of a revision. Throws what choosing its pages throws. */
export function bookOf({ space, repo, view }: Revision, wish: PrintWish): PrintSubject {
  const pages = choosePages(view.content, wish)
  return { space, repo, view, pages, part: wish.page && view.content.pageById.get(wish.page)?.title }
}

/** A name for its file: that of the part, or of the space. */
export function nameOfBook({ space, part }: PrintSubject): string {
  // What has a meaning in the paths of some system, or cannot be seen.
  const plain = (part ?? space.title)
    .toWellFormed()
    .replace(/[\p{C}/\\:*?"<>|]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .replace(/^[. ]+|[. ]+$/g, '')
  return `${[...plain].slice(0, 80).join('').trim() || 'Document'}.pdf`
}
