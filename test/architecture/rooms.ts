/**
 * A part of the source with one purpose. `may` names what it may import beside itself: for a room,
 * other rooms; for a part of a room, other parts of the same room, with "." for the files directly
 * in the room.
 */
export type Room = {
  purpose: string
  may: readonly string[]
  parts?: Record<string, { purpose: string; may: readonly string[] }>
}

/**
 * The rooms of `src`, from the bottom up. A file directly in `src` is a room of its own. The tests
 * check imports against this table, and `src/README.md` shows it.
 */
export const rooms: Record<string, Room> = {
  reasons: { purpose: 'the word of each refusal, with its kind and what it means', may: [] },
  errors: {
    purpose: 'the errors that callers see, with a reason and a message to act on',
    may: ['reasons'],
  },
  config: { purpose: 'the environment, parsed once', may: ['lib'] },
  lock: { purpose: 'the lock of a data folder', may: [] },
  lib: {
    purpose: 'small helpers that know nothing of the product: digests, object ids, locks, caches',
    may: [],
  },
  caches: { purpose: 'the in-memory caches, with one budget', may: ['lib'] },
  net: {
    purpose: 'outgoing HTTP, name resolution, and which addresses the server may connect to',
    may: ['lib', 'errors'],
  },
  git: {
    purpose: 'bare repositories: objects, refs, merges, remotes',
    may: ['lib', 'errors'],
    parts: {
      values: { purpose: 'errors, and parsers of what git prints', may: [] },
      protocol: {
        purpose: 'the wire protocol of Git: packets, lists of refs, requests, reports',
        may: ['values'],
      },
      disk: { purpose: 'durable writes and the files of a repository', may: ['values'] },
      process: {
        purpose: 'git processes: the only code that starts them, and the long-running ones',
        may: ['disk', 'values'],
      },
      objects: { purpose: 'reading and writing objects', may: ['disk', 'process', 'values'] },
      refs: { purpose: 'reading refs and moving them', may: ['disk', 'process', 'values'] },
      trees: {
        purpose: 'trees: reading, editing, comparing',
        may: ['objects', 'process', 'values'],
      },
      history: { purpose: 'walks over commits', may: ['objects', 'refs', 'process', 'values'] },
      commits: {
        purpose: 'new commits: quarantine, merges, notes',
        may: ['trees', 'refs', 'objects', 'process', 'disk', 'values'],
      },
      remotes: {
        purpose: 'fetching from and pushing to other repositories',
        may: ['trees', 'refs', 'process', 'disk', 'values'],
      },
      serving: {
        purpose: 'answers to fetches, kept in files, and which objects may be fetched',
        may: ['protocol', 'objects', 'process', 'disk', 'values'],
      },
      receiving: {
        purpose: 'pushed packs: a quarantine, the checks, and the way into the repository',
        may: ['trees', 'objects', 'process', 'disk', 'values'],
      },
      exchange: {
        purpose: 'packs between a repository and the database that all machines share',
        may: ['objects', 'process', 'values'],
      },
      repositories: {
        purpose: 'repositories as a whole: creation, settings, hooks, upkeep, repair',
        may: ['objects', 'refs', 'process', 'disk', 'values'],
      },
    },
  },
  content: {
    purpose: 'what a tree of files means as documentation: page tree, pages, links, edits',
    may: ['lib', 'errors'],
    parts: {
      '.': { purpose: 'the interface through which content reads files, and images', may: [] },
      text: { purpose: 'bytes, lines, ranges, three-way merges of text, slugs, YAML', may: ['.'] },
      markdown: {
        purpose: 'scanners of Markdown: blocks, inlines, plain text, front matter',
        may: ['text'],
      },
      page: {
        purpose: 'one page: its facts, its front matter, edits of its text',
        may: ['markdown', 'text'],
      },
      summary: { purpose: '`SUMMARY.md`: parsing, editing, merging', may: ['markdown', 'text'] },
      document: {
        purpose: 'the block tree of comments and descriptions, from and to Markdown',
        may: ['markdown', 'text'],
      },
      navigation: {
        purpose: 'settings of other tools: which pages there are, in which order',
        may: ['summary', 'text', '.'],
      },
      tree: {
        purpose: "a revision's page tree: configuration, variables, ids",
        may: ['navigation', 'summary', 'page', 'markdown', 'text', '.'],
      },
      links: {
        purpose: 'links of pages: finding, classifying, listing',
        may: ['markup', 'tree', 'page', 'markdown', 'text', '.'],
      },
      search: { purpose: 'pages as words and passages', may: ['page', 'markdown', 'text'] },
      findings: {
        purpose: 'what a revision contains that is not understood, or that leads nowhere',
        may: ['links', 'search', 'tree', 'navigation', 'summary', 'markdown', 'text', '.'],
      },
      markup: {
        purpose: 'a page as a tree of elements',
        may: ['document', 'page', 'markdown', 'text'],
      },
      expression: { purpose: 'the expression language', may: [] },
      evaluate: {
        purpose: 'pages with their expressions and conditions evaluated',
        may: ['expression', 'tree', 'page', 'markdown', 'text', '.'],
      },
      site: {
        purpose: 'the rules of sites: addresses, conditions, adaptive schemas, claims',
        may: ['expression', 'tree', 'text'],
      },
      customization: {
        purpose: 'the settings of sites, and how they look: styles, icons, languages',
        may: ['text'],
      },
      openapi: {
        purpose: 'OpenAPI specs as pages and blocks',
        may: ['document', 'tree', 'page', 'markdown', 'text'],
      },
      changes: {
        purpose: 'what changed between two versions of a page, as one tree with marks',
        may: ['markup', 'tree', 'markdown', 'text'],
      },
      html: { purpose: 'a page as HTML', may: ['markup', 'links', 'markdown', 'text'] },
      print: {
        purpose: 'a book of pages as Typst source',
        may: ['markup', 'links', 'markdown', 'text', '.'],
      },
      edit: {
        purpose: 'edits of a revision: which files change, and how',
        may: ['links', 'tree', 'document', 'summary', 'page', 'markdown', 'text', '.'],
      },
      importing: {
        purpose: 'files from elsewhere as changes that add pages and files',
        may: ['edit', 'links', 'tree', 'summary', 'page', 'markdown', 'text', '.'],
      },
    },
  },
  store: {
    purpose: 'the rows of the two SQLite files: a file of named queries per table',
    may: ['lib', 'errors'],
    parts: {
      tables: { purpose: 'the type of each row', may: [] },
      engine: { purpose: 'the engines that run SQL: their driver and errors', may: [] },
      '.': { purpose: 'the database: transactions, kept reads', may: ['engine', 'tables'] },
      people: {
        purpose: 'users, organizations, teams, tokens, invitations, permissions',
        may: ['.', 'tables'],
      },
      spaces: { purpose: 'spaces and collections', may: ['people', '.', 'tables'] },
      sites: {
        purpose: 'sites: their structure, addresses, audiences and settings',
        may: ['people', 'spaces', '.', 'tables'],
      },
      integrations: {
        purpose: 'integrations, their images, installations and tokens',
        may: ['people', '.', 'tables'],
      },
      git: {
        purpose: 'mirrored refs, revisions, the journal, Git syncs, facts of blobs',
        may: ['.', 'tables'],
      },
      cluster: {
        purpose: 'refs, default branches and packs that nodes share',
        may: ['git', '.', 'tables'],
      },
      discussions: { purpose: 'change requests, reviews, comments', may: ['.', 'tables'] },
      openapi: { purpose: 'OpenAPI specs, their sources and versions', may: ['.', 'tables'] },
      sso: { purpose: 'identity providers, identities, sign-ins, sessions', may: ['.', 'tables'] },
      events: { purpose: 'audit events, webhooks, jobs, idempotency keys', may: ['.', 'tables'] },
      search: { purpose: 'the full-text index', may: ['spaces', '.', 'tables'] },
    },
  },
  threads: {
    purpose: 'what runs in worker threads or child processes',
    may: ['content', 'sso', 'store', 'lib', 'errors'],
  },
  context: {
    purpose: 'everything that a request may reach',
    may: ['caches', 'config', 'git', 'net', 'store', 'lib'],
  },
  queue: { purpose: 'the name and payload of every job', may: ['store', 'lib', 'errors'] },
  access: {
    purpose: 'who calls, and what they may do',
    may: ['store', 'lib', 'errors', 'context'],
    parts: {
      '.': { purpose: 'callers, roles, scopes of tokens', may: [] },
      guards: { purpose: 'the guards that an endpoint declares', may: ['.'] },
    },
  },
  sso: {
    purpose: 'SAML and OpenID Connect: from what a provider sends to an identity',
    may: ['lib', 'errors'],
  },
  actions: {
    purpose: 'verbs that change more than one of Git, rows and queue',
    may: [
      'caches',
      'queue',
      'git',
      'net',
      'content',
      'store',
      'access',
      'lib',
      'errors',
      'context',
    ],
    parts: {
      '.': { purpose: 'permission to destroy data, and the route of outgoing requests', may: [] },
      repositories: {
        purpose: 'repositories of spaces: folders, names of refs, quotas',
        may: ['.'],
      },
      'catch-up': {
        purpose: 'folders of repositories as caches of what nodes share',
        may: ['made-files', 'repositories'],
      },
      events: { purpose: 'audit events and webhook deliveries', may: ['.'] },
      people: {
        purpose: 'users, their tokens, and keys of organizations',
        may: ['events'],
      },
      sso: { purpose: 'sign-ins through identity providers', may: ['people', 'events', '.'] },
      revisions: {
        purpose: 'reading revisions: views, files, page ids, ancestry, merges',
        may: ['repositories'],
      },
      clearance: {
        purpose: 'the check that a caller may make this content readable',
        may: ['revisions', 'repositories'],
      },
      journal: {
        purpose: 'the only way to change Git and rows together',
        may: ['clearance', 'catch-up', 'events', 'repositories'],
      },
      heads: {
        purpose: 'heads of branches, and recording what was pushed',
        may: ['journal', 'clearance', 'revisions', 'catch-up', 'repositories'],
      },
      edit: {
        purpose: 'edits of content',
        may: ['heads', 'journal', 'clearance', 'revisions', 'repositories'],
      },
      'change-requests': {
        purpose: 'change requests: opening, updating, reviewing, merging',
        may: [
          'edit',
          'links',
          'heads',
          'journal',
          'clearance',
          'revisions',
          'events',
          'repositories',
        ],
      },
      writing: {
        purpose: 'pages as a person writes them in a browser, and saving them',
        may: ['uploads', 'change-requests', 'edit', 'heads', 'revisions', 'repositories'],
      },
      specs: {
        purpose: 'OpenAPI specs: storing, reading, computed pages',
        may: ['journal', 'revisions', 'catch-up', 'events', 'made-files', 'repositories', '.'],
      },
      comments: {
        purpose: 'comments and replies: posting, editing, resolving, deleting',
        may: ['specs', 'heads', 'revisions', 'events', 'repositories'],
      },
      'git-sync': {
        purpose: 'import from and export to remotes',
        may: ['edit', 'heads', 'journal', 'clearance', 'revisions', 'events', 'repositories', '.'],
      },
      search: { purpose: 'the search index', may: ['specs', 'revisions', 'repositories'] },
      push: {
        purpose: 'pushes over a protocol of ours: what each command means, and carrying it out',
        may: [
          'change-requests',
          'sites',
          'findings',
          'heads',
          'journal',
          'clearance',
          'events',
          'revisions',
          'repositories',
          '.',
        ],
      },
      links: {
        purpose: 'links of revisions, kept by blob',
        may: ['heads', 'revisions', 'repositories'],
      },
      findings: {
        purpose: 'what revisions contain that is not understood, or that leads nowhere',
        may: ['links', 'specs', 'heads', 'clearance', 'revisions', 'repositories'],
      },
      importing: {
        purpose: 'uploaded files that become pages of a space',
        may: ['uploads', 'edit', 'made-files', 'heads', 'revisions'],
      },
      uploads: {
        purpose: 'files on their way into a space, sent as raw bytes',
        may: ['repositories', '.'],
      },
      'made-files': {
        purpose: 'what is made from content and kept: PDF files, images, rows',
        may: [],
      },
      evaluating: { purpose: 'pages with their expressions and specs evaluated', may: ['specs'] },
      print: {
        purpose: 'PDF files',
        may: ['made-files', 'evaluating', 'specs', 'revisions', 'repositories'],
      },
      images: { purpose: 'images made for the pages of sites', may: ['print', 'made-files', '.'] },
      reading: {
        purpose: 'content as a reader of a published site is shown it',
        may: ['evaluating', 'links', 'specs', 'heads', 'revisions', 'repositories'],
      },
      spaces: {
        purpose: 'spaces and collections: creating, moving, deleting',
        may: [
          'sites',
          'made-files',
          'heads',
          'journal',
          'clearance',
          'revisions',
          'events',
          'repositories',
          '.',
        ],
      },
      members: {
        purpose: 'who belongs to an organization, and what is granted to whom',
        may: ['people', 'sites', 'events'],
      },
      sites: {
        purpose: 'sites: what a viewer sees of one, addresses, edits of the structure',
        may: ['reading', 'search', 'specs', 'heads', 'revisions', 'events', 'repositories'],
      },
      audience: {
        purpose: 'content opened for a user or a reader: pages, texts, dates, searches, redirects',
        may: [
          'events',
          'sites',
          'reading',
          'search',
          'links',
          'print',
          'evaluating',
          'specs',
          'heads',
          'revisions',
          'repositories',
          '.',
        ],
      },
      reviewing: {
        purpose: 'what a reviewer looks at: a change request with what it changes',
        may: [
          'audience',
          'change-requests',
          'findings',
          'links',
          'sites',
          'specs',
          'heads',
          'clearance',
          'revisions',
          'repositories',
        ],
      },
      manual: {
        purpose: 'the manual of Stemma, which the first start publishes',
        may: ['git-sync', 'spaces', 'sites', 'repositories'],
      },
      sharing: {
        purpose: 'what nodes do for repositories that they share, beside requests',
        may: ['catch-up', 'search', 'heads', 'journal', 'events', 'repositories'],
      },
      moving: {
        purpose: 'a whole server moved to a PostgreSQL database, and back',
        may: ['specs', 'repositories'],
      },
      upkeep: {
        purpose: 'backup, restore, verification, recovery',
        may: [
          'moving',
          'sharing',
          'catch-up',
          'search',
          'made-files',
          'specs',
          'heads',
          'journal',
          'clearance',
          'people',
          'events',
          'revisions',
          'repositories',
          '.',
        ],
      },
      repairing: {
        purpose: 'damaged repositories, in a folder or in the database that nodes share',
        may: ['upkeep', 'moving', 'catch-up', 'specs', 'heads', 'journal', 'repositories'],
      },
    },
  },
  http: {
    purpose: 'an API operation as a value, and the server of a table of them',
    may: ['caches', 'access', 'store', 'lib', 'reasons', 'errors', 'config', 'context'],
  },
  metrics: { purpose: 'figures for Prometheus', may: ['store', 'lib', 'context'] },
  files: {
    purpose: 'sending files of spaces: their addresses, whole, in parts, with safe types',
    may: ['access', 'caches', 'http', 'git', 'content', 'store', 'lib', 'errors', 'context'],
  },
  integrations: {
    purpose: 'integrations: manifests, policies, configurations, and the scripts that sites load',
    may: ['http', 'access', 'actions', 'content', 'store', 'lib', 'errors', 'context'],
  },
  'sign-in': {
    purpose: 'the pages on which people sign in, with a token or through an identity provider',
    may: ['ui', 'sso', 'http', 'access', 'actions', 'store', 'lib', 'errors', 'context', 'metrics'],
  },
  api: {
    purpose: 'the API operations: the route table, and a folder per resource',
    may: [
      'integrations',
      'caches',
      'files',
      'http',
      'access',
      'actions',
      'git',
      'net',
      'content',
      'store',
      'lib',
      'errors',
      'context',
      'metrics',
      'sso',
    ],
    parts: {
      base: {
        purpose: 'what the other parts show: users, organizations, merge rules, common paths',
        may: [],
      },
      spaces: { purpose: 'spaces, collections, Git sync, templates', may: ['base'] },
      people: {
        purpose: 'members, teams, tokens, sessions, permissions, identity providers, events',
        may: ['spaces', 'base'],
      },
      sites: {
        purpose: 'sites with all that belongs to them, OpenAPI specs, integrations',
        may: ['people', 'spaces', 'base'],
      },
      content: {
        purpose: 'pages and files, their history, change requests, reviews, comments, search',
        may: ['sites', 'people', 'spaces', 'base'],
      },
      system: { purpose: 'health, metrics, the OpenAPI document', may: [] },
      examples: {
        purpose: 'a request and an answer of each operation, recorded by tests',
        may: [],
      },
      routes: {
        purpose: 'the address of each operation, a table per family',
        may: ['content', 'sites', 'people', 'spaces', 'system', 'base'],
      },
      '.': { purpose: 'the table of all operations', may: ['routes'] },
    },
  },
  ui: {
    purpose: 'what the pages of site and workbench share: style, parts, words, sending',
    may: ['http', 'lib', 'errors', 'config', 'context'],
    parts: {
      words: { purpose: 'the words of the surface, a file per language', may: [] },
      client: { purpose: 'what runs in browsers on pages of every kind', may: [] },
      assets: { purpose: 'styles and scripts, bundled from their sources', may: [] },
      frame: { purpose: 'what every document has', may: [] },
      parts: { purpose: 'parts of pages: menus, links, icons', may: [] },
      serving: { purpose: 'addresses of requests, redirects, files that never change', may: [] },
    },
  },
  'page-text': {
    purpose: 'the texts of pages as readers are shown them, with what their targets lead to',
    may: ['files', 'http', 'actions', 'git', 'content', 'store', 'lib', 'context'],
  },
  site: {
    purpose: 'the pages that readers of published sites open in a browser',
    may: [
      'ui',
      'page-text',
      'integrations',
      'caches',
      'files',
      'http',
      'access',
      'actions',
      'git',
      'content',
      'store',
      'lib',
      'errors',
      'config',
      'context',
    ],
    parts: {
      client: { purpose: 'what runs in browsers', may: [] },
      assets: { purpose: 'style and script, built from their sources', may: [] },
      programs: {
        purpose: 'what programs read: feeds, site maps, texts for language models',
        may: [],
      },
      views: { purpose: 'the data of pages, and pages as HTML', may: [] },
      readers: { purpose: 'who reads: visitors, those who preview, and what they claim', may: [] },
      place: {
        purpose: 'the content that an address leads to, opened for its reader',
        may: ['readers'],
      },
      sending: {
        purpose: 'answers as bytes: headers, compression, kept pages, files',
        may: ['place', 'views', 'assets'],
      },
      travel: {
        purpose: 'earlier versions, change requests and comparisons as scopes of addresses',
        may: ['place', 'views'],
      },
      feedback: {
        purpose: 'answers of readers to "Was this page helpful?"',
        may: ['sending', 'place'],
      },
      text: {
        purpose: 'the texts of pages with the addresses of a site, and as Markdown',
        may: ['place'],
      },
      pages: {
        purpose: 'the answer to each kind of address',
        may: ['text', 'feedback', 'sending', 'place', 'travel', 'views', 'programs'],
      },
      mcp: {
        purpose: 'the endpoint of the Model Context Protocol below a site',
        may: ['pages', 'text', 'sending', 'place', 'views'],
      },
      manual: {
        purpose: 'the manual and the API reference that the program brings along, at /docs',
        may: ['pages', 'sending', 'place', 'views'],
      },
      '.': {
        purpose: 'the router of the reading site',
        may: ['mcp', 'pages', 'feedback', 'sending', 'place', 'readers', 'travel'],
      },
    },
  },
  workbench: {
    purpose: 'the pages on which members read, discuss, review and write content',
    may: [
      'ui',
      'page-text',
      'caches',
      'files',
      'http',
      'access',
      'actions',
      'git',
      'content',
      'store',
      'lib',
      'errors',
      'config',
      'context',
    ],
    parts: {
      client: { purpose: 'what runs in browsers', may: [] },
      'editor-client': { purpose: 'the editor in browsers', may: [] },
      assets: { purpose: 'style and script, bundled from their sources', may: [] },
      parts: { purpose: 'parts of pages: forms, lists, links, times', may: [] },
      frame: {
        purpose: 'tables of pages and forms, and what every page has',
        may: ['parts', 'assets'],
      },
      people: {
        purpose: 'the members of an organization, and invitations',
        may: ['home', 'parts', 'frame'],
      },
      account: { purpose: 'the name, tokens and browsers of a user', may: ['parts', 'frame'] },
      home: {
        purpose: 'what waits for a member, and their spaces and sites',
        may: ['changes', 'parts', 'frame'],
      },
      editor: { purpose: 'writing a page, with a preview', may: ['space', 'parts', 'frame'] },
      organize: {
        purpose: 'the table of contents: adding, moving, renaming, deleting',
        may: ['parts', 'frame'],
      },
      importing: {
        purpose: 'files that become pages, and how far their import is',
        may: ['organize', 'parts', 'frame'],
      },
      changes: {
        purpose: 'change requests: the list, what one changes, its discussion and its merge',
        may: ['comments', 'parts', 'frame'],
      },
      comments: {
        purpose: 'comments with their replies, and what one can do with them',
        may: ['parts', 'frame'],
      },
      space: {
        purpose: 'a space: its pages as readers see them, and its findings',
        may: ['comments', 'parts', 'frame'],
      },
      history: {
        purpose: 'the revisions of a space and of its pages',
        may: ['space', 'parts', 'frame'],
      },
      site: {
        purpose: 'a site for those who change it: its spaces and redirects',
        may: ['parts', 'frame'],
      },
      search: { purpose: 'the search over all pages of a member', may: ['home', 'parts', 'frame'] },
      '.': {
        purpose: 'the table of all pages and forms',
        may: [
          'search',
          'history',
          'space',
          'comments',
          'account',
          'people',
          'site',
          'changes',
          'home',
          'editor',
          'importing',
          'organize',
          'parts',
          'frame',
        ],
      },
    },
  },
  transfers: {
    purpose: 'Git over HTTP: clones, fetches and pushes of spaces',
    may: [
      'caches',
      'http',
      'access',
      'actions',
      'git',
      'store',
      'lib',
      'errors',
      'config',
      'context',
      'metrics',
    ],
  },
  jobs: {
    purpose: 'the handlers of the jobs that `queue/` names',
    may: ['actions', 'queue', 'git', 'content', 'store', 'access', 'lib', 'errors', 'context'],
  },
  worker: {
    purpose: 'claims jobs and runs them',
    may: ['jobs', 'queue', 'store', 'lib', 'context', 'metrics'],
  },
  app: {
    purpose: 'the Express app',
    may: [
      'api',
      'integrations',
      'sign-in',
      'site',
      'workbench',
      'transfers',
      'http',
      'lib',
      'errors',
      'context',
      'metrics',
    ],
  },
  secret: { purpose: 'the keys that seal secrets in the database', may: ['store', 'lib'] },
  open: {
    purpose: 'opens a data folder as a context',
    may: ['caches', 'git', 'net', 'store', 'secret', 'lib', 'config', 'context'],
  },
  watch: {
    purpose: 'periodic checks of a running server',
    may: ['site', 'actions', 'lock', 'open', 'store', 'lib', 'context'],
  },
  server: {
    purpose: 'starts and stops everything',
    may: [
      'app',
      'transfers',
      'worker',
      'watch',
      'workbench',
      'open',
      'lock',
      'metrics',
      'actions',
      'queue',
      'git',
      'http',
      'config',
      'context',
    ],
  },
  cli: {
    purpose: 'the command line: a file per command',
    may: [
      'server',
      'api',
      'http',
      'access',
      'open',
      'secret',
      'lock',
      'actions',
      'jobs',
      'queue',
      'git',
      'content',
      'store',
      'lib',
      'config',
      'reasons',
      'errors',
      'context',
    ],
    parts: {
      output: { purpose: 'what commands print, and how they fail', may: [] },
      api: { purpose: 'requests to a server', may: ['output'] },
      clone: { purpose: "the user's own clone", may: [] },
      folder: { purpose: 'opening a data folder', may: ['output'] },
      source: {
        purpose: 'a folder of the user, which `publish` sends and `check` reads',
        may: ['clone', 'output'],
      },
      copy: { purpose: 'a copy of a published site as static files', may: ['output'] },
      commands: {
        purpose: 'a file per command',
        may: ['api', 'clone', 'copy', 'folder', 'source', 'output'],
      },
      '.': {
        purpose: 'the program: its commands, and running one',
        may: ['commands', 'folder', 'output'],
      },
    },
  },
}

/** Returns the room of a source file: `src/git/refs/refs.ts` is in "git". */
export function roomOf(path: string): string {
  return /^src\/([^/]+?)(?:\.ts|\/)/.exec(path)?.[1] ?? ''
}

/** Returns the part of its room that a source file is in; "." for a file directly in the room. */
export function partOf(path: string): string {
  return /^src\/[^/]+\/([^/]+)\//.exec(path)?.[1] ?? '.'
}

/** Returns the tables of rooms and parts as Markdown, for `src/README.md`. */
export function roomTables(): string {
  const entries = Object.entries(rooms)
  const list = (names: readonly string[], self: string) =>
    names.map(name => (name === '.' ? `\`${self}/*\`` : `\`${name}\``)).join(', ') || '–'
  const folders = entries.map(
    ([name, { purpose, may }]) => `| \`${name}\` | ${purpose} | ${list(may, name)} |`,
  )
  const parts = entries
    .filter(([, { parts }]) => parts)
    .flatMap(([room, each]) => [
      '',
      `### ${room}`,
      '',
      '| Part | Purpose | Imports |',
      '| --- | --- | --- |',
      ...Object.entries(each.parts ?? {}).map(
        ([name, { purpose, may }]) =>
          `| \`${name === '.' ? `${room}/*` : name}\` | ${purpose} | ${list(may, room)} |`,
      ),
    ])

  return ['| Room | Purpose | Imports |', '| --- | --- | --- |', ...folders, ...parts].join('\n')
}
