const en = {
  signIn: 'Sign in',
  account: 'Your account',
  manage: 'Manage account',
  signOut: 'Sign out',
  notifications: 'Notifications',
  unread: (count: number) => `${count} unread`,
  warning: 'Warning',
  none: 'No notifications yet.',
  markRead: 'Mark as read',
  readAll: 'Mark all as read',
  open: 'Open',
  more: 'Show more',
  preferences: 'Preferences',
  close: 'Close',
  feedback: 'Feedback',
  kind: 'What is it about?',
  kinds: { idea: 'An idea', problem: 'A problem', praise: 'Something I like', other: 'Something else' },
  message: 'Your message',
  send: 'Send',
  sent: 'Thank you. We have received it.',
  own: 'Your feedback',
  ownNone: 'You have not sent any feedback yet.',
  write: 'Write feedback',
  answer: 'Answer',
  statuses: { new: 'New', in_progress: 'In progress', done: 'Done' },
  signInFirst: 'Sign in first.',
  empty: 'Write a message first.',
  framed: 'Not available inside another site’s page.',
  unreachable: 'The server cannot be reached. Try again later.',
  busy: 'Too many attempts. Try again later.',
  notAllowed: 'This page is not allowed to do that.',
  failed: 'Something went wrong. Try again later.',
}

export type Texts = typeof en

const de: Texts = {
  signIn: 'Anmelden',
  account: 'Ihr Konto',
  manage: 'Konto verwalten',
  signOut: 'Abmelden',
  notifications: 'Mitteilungen',
  unread: (count) => `${count} ungelesen`,
  warning: 'Warnung',
  none: 'Noch keine Mitteilungen.',
  markRead: 'Als gelesen markieren',
  readAll: 'Alle als gelesen markieren',
  open: 'Öffnen',
  more: 'Mehr anzeigen',
  preferences: 'Einstellungen',
  close: 'Schließen',
  feedback: 'Feedback',
  kind: 'Worum geht es?',
  kinds: {
    idea: 'Eine Idee',
    problem: 'Ein Problem',
    praise: 'Etwas, das mir gefällt',
    other: 'Etwas anderes',
  },
  message: 'Ihre Nachricht',
  send: 'Senden',
  sent: 'Danke. Wir haben es erhalten.',
  own: 'Ihr Feedback',
  ownNone: 'Sie haben noch kein Feedback gesendet.',
  write: 'Feedback schreiben',
  answer: 'Antwort',
  statuses: { new: 'Neu', in_progress: 'In Arbeit', done: 'Erledigt' },
  signInFirst: 'Melden Sie sich zuerst an.',
  empty: 'Schreiben Sie zuerst eine Nachricht.',
  framed: 'Innerhalb einer fremden Seite nicht verfügbar.',
  unreachable: 'Der Server ist nicht erreichbar. Versuchen Sie es später noch einmal.',
  busy: 'Zu viele Versuche. Versuchen Sie es später noch einmal.',
  notAllowed: 'Diese Seite darf das nicht.',
  failed: 'Das hat nicht funktioniert. Versuchen Sie es später noch einmal.',
}

const zh: Texts = {
  signIn: '登录',
  account: '您的账号',
  manage: '管理账号',
  signOut: '退出登录',
  notifications: '通知',
  unread: (count) => `${count} 条未读`,
  warning: '警告',
  none: '还没有通知。',
  markRead: '标为已读',
  readAll: '全部标为已读',
  open: '打开',
  more: '显示更多',
  preferences: '偏好设置',
  close: '关闭',
  feedback: '反馈',
  kind: '关于什么？',
  kinds: { idea: '想法', problem: '问题', praise: '喜欢的地方', other: '其他' },
  message: '您的留言',
  send: '发送',
  sent: '谢谢，我们已经收到。',
  own: '您的反馈',
  ownNone: '您还没有发送过反馈。',
  write: '写反馈',
  answer: '回复',
  statuses: { new: '新', in_progress: '处理中', done: '已完成' },
  signInFirst: '请先登录。',
  empty: '请先填写内容。',
  framed: '在其他网站的页面内无法使用。',
  unreachable: '无法连接服务器，请稍后再试。',
  busy: '尝试次数过多，请稍后再试。',
  notAllowed: '此页面无权执行该操作。',
  failed: '操作失败，请稍后再试。',
}

const LANGUAGES: ReadonlyMap<string, Texts> = new Map([
  ['en', en],
  ['de', de],
  ['zh', zh],
])

/** The first of these tags that is spoken here, else English. */
export function spoken(tags: readonly (string | null | undefined)[]): {
  readonly lang: string
  readonly texts: Texts
} {
  for (const tag of tags) {
    const lang = (tag ?? '').slice(0, 2).toLowerCase()
    const texts = LANGUAGES.get(lang)
    if (texts) return { lang, texts }
  }
  return { lang: 'en', texts: en }
}
