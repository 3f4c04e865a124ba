import {
  changeName,
  createAccountToken,
  deleteAccountToken,
  endAccountSessions,
} from './account/account-forms.ts'
import { accountPage } from './account/account-page.tsx'
import type { Route } from './frame/page.ts'
import { home } from './home/home.tsx'

/** Every page and form of the workbench: the table of contents. A line per page, with its forms below it. */
export const workbench: readonly Route[] = [
  // What waits for me
  home,

  // Oneself
  accountPage,
  changeName,
  createAccountToken,
  deleteAccountToken,
  endAccountSessions,
]
