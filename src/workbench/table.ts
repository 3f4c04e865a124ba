import {
  changeName,
  createAccountToken,
  deleteAccountToken,
  endAccountSessions,
} from './account/account-forms.ts'
import { accountPage } from './account/account-page.tsx'
import { changesRoutes } from './changes/table.ts'
import { commentForm, threadForm } from './comments/forms.ts'
import { previewOfPage, targetsOfLinks } from './editor/answers.ts'
import { editInRequest, editPage, saveInRequest, savePageForm } from './editor/edit.ts'
import { announceImage } from './editor/images.ts'
import { liveEditor } from './editor/live.ts'
import type { Route } from './frame/page.ts'
import { pageHistory, spaceHistory } from './history/history.tsx'
import { restoreForm, revision } from './history/revision.tsx'
import { deletedSpaces, restoreDeleted } from './home/deleted-spaces.tsx'
import { home } from './home/home.tsx'
import { addSite, newSite } from './home/new-site.tsx'
import { addSpace, newSpace } from './home/new-space.tsx'
import {
  importIntoRequest,
  importIntoSpace,
  startImportInRequest,
  startImportInSpace,
} from './importing/import-form.tsx'
import { cancelImportForm, importPage, liveImport } from './importing/import-page.tsx'
import {
  deleteInRequest,
  deleteInSpace,
  deletePageOfRequest,
  deletePageOfSpace,
} from './organize/delete-page.tsx'
import {
  addPageToRequest,
  addPageToSpace,
  newPageOfRequest,
  newPageOfSpace,
} from './organize/new-page.tsx'
import {
  changeRequestContents,
  changeSpace,
  organizeRequest,
  organizeSpace,
} from './organize/organize.ts'
import { addOrganization, newOrganization } from './people/new-organization.tsx'
import { changeMember, invitePeople, removePerson, withdrawInvite } from './people/people-forms.ts'
import { organizationsPage, peoplePage } from './people/people-page.tsx'
import { searchPage } from './search/search.tsx'
import { addLink } from './site/link-forms.ts'
import { publishOrNot } from './site/publish-form.ts'
import { siteReads } from './site/reads-page.tsx'
import {
  deleteRedirect,
  duplicateOnSite,
  fillSite,
  publishRedirect,
  saveRedirects,
} from './site/site-forms.ts'
import { sitePage } from './site/site-page.tsx'
import { addSpaceToSite } from './site/space-form.ts'
import { arrangeSite, changeSiteItem } from './site/structure-forms.ts'
import { spaceFindings } from './space/findings.tsx'
import { revisionPage, spaceHome, spacePage } from './space/space-page.tsx'

/** Every page and form of the workbench: the table of contents. A line per page, with its forms below it. */
export const workbench: readonly Route[] = [
  // What waits for me
  home,
  searchPage,
  newSpace,
  addSpace,
  newSite,
  addSite,

  // Oneself
  accountPage,
  changeName,
  createAccountToken,
  deleteAccountToken,
  endAccountSessions,

  // Write
  editPage,
  savePageForm,
  editInRequest,
  saveInRequest,
  previewOfPage,
  announceImage,
  targetsOfLinks,
  liveEditor,
  organizeSpace,
  changeSpace,
  organizeRequest,
  changeRequestContents,
  newPageOfSpace,
  addPageToSpace,
  newPageOfRequest,
  addPageToRequest,
  deletePageOfSpace,
  deleteInSpace,
  deletePageOfRequest,
  deleteInRequest,
  importIntoSpace,
  startImportInSpace,
  importIntoRequest,
  startImportInRequest,
  importPage,
  liveImport,
  cancelImportForm,
  ...changesRoutes,

  // A space as its members read it
  spaceHome,
  spacePage,
  commentForm,
  threadForm,
  spaceFindings,

  // What was published when
  spaceHistory,
  revision,
  restoreForm,
  revisionPage,
  pageHistory,

  // A site, for those who change it
  sitePage,
  siteReads,
  saveRedirects,
  publishRedirect,
  deleteRedirect,
  publishOrNot,
  arrangeSite,
  changeSiteItem,
  duplicateOnSite,
  fillSite,
  addLink,
  addSpaceToSite,

  // The members of an organization, and its deleted spaces
  organizationsPage,
  newOrganization,
  addOrganization,
  peoplePage,
  invitePeople,
  withdrawInvite,
  changeMember,
  removePerson,
  deletedSpaces,
  restoreDeleted,
]
