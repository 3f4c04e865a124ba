import type { Route } from '../frame/page.ts'
import { conflictsPage, resolveForm } from './conflicts/page.ts'
import { filesPage } from './files/page.ts'
import { createForm, mergeForm, statusForm, textForm, updateForm } from './forms.ts'
import { changesPage } from './list.ts'
import { liveRequest } from './live.ts'
import { overviewPage } from './overview/page.ts'
import { changedPage, pageCommentForm, pagesPage } from './pages/page.ts'
import { revertForm, revertPage } from './revert/page.ts'
import { commentForm, reviewersForm, reviewForm } from './review-forms.ts'
import { viewedForm } from './viewed.tsx'

/** The pages and forms of change requests. */
export const changesRoutes: readonly Route[] = [
  changesPage,
  createForm,
  overviewPage,
  liveRequest,
  textForm,
  statusForm,
  updateForm,
  mergeForm,
  reviewForm,
  reviewersForm,
  commentForm,
  pagesPage,
  changedPage,
  pageCommentForm,
  filesPage,
  conflictsPage,
  resolveForm,
  revertPage,
  revertForm,
  viewedForm,
]
