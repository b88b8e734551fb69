import type { listsTexts as english } from '../../en/inside/lists.ts'

export const listsTexts: typeof english = {
  lists: {
    order: '排序',
    orders: { newest: '最新在前', oldest: '最早在前', email: '按邮箱地址', last_sign_in: '最近登录在前' },
    columns: '列',
    askedIsMissing: '此链接要打开的内容不在这个列表里：可能已被删除，也可能在其他页或被筛选掉了。',
    pageEmpty: '此页已没有内容',
    pageEmptyText: '此列表的内容已减少。',
    lastPage: '前往最后一页',
    pageSize: '每页行数',
    perPage: (rows) => `每页 ${rows.toLocaleString('zh')} 行`,
    marked: '已选',
    choose: (name) => `选择 ${name}`,
    chooseAll: '选择本页全部',
    chosen: (rows) => `已选 ${rows.toLocaleString('zh')} 行`,
    signOutMany: (users) => `让 ${users.toLocaleString('zh')} 位用户在所有设备上退出登录？`,
    options: (active) => (active > 0 ? `选项（${active.toLocaleString('zh')}）` : '选项'),
    ranges: { any: '不限时间', today: '今天', '7d': '最近 7 天', '30d': '最近 30 天', dates: '两个日期之间' },
    from: '从',
    to: '到',
    exportChosen: '导出所选',
    csv: '导出 CSV',
    csvProgress: (rows) => `已导出 ${rows.toLocaleString('zh')} 行`,
  },
}
