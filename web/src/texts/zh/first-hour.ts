import type { firstHour as en } from '../en/first-hour.ts'

export const firstHour: typeof en = {
  firstHour: {
    title: '初始设置',
    lead: (done: number, all: number) => `已完成 ${done.toLocaleString('zh')} / ${all.toLocaleString('zh')}`,
    next: (step) => `下一步：${step}`,
    go: '前往',
    all: (done, all) => `全部步骤（已完成 ${done.toLocaleString('zh')} / ${all.toLocaleString('zh')}）`,
    hide: '隐藏',
    done: '已完成',
    password: '更改初始密码',
    passwordText: '它曾显示在终端里。',
    brand: '设置名称和标志',
    brandText: '每个页面和每封邮件都会显示它们。',
    mail: '选择邮件服务',
    mailText: '没有邮件服务，就无法重置密码。请给自己发一封测试邮件。',
    factor: '添加第二验证方式',
    factorText: '这样仅凭您的密码无法进入。',
    provider: '启用其他登录方式',
    providerText: '用户在别处已有的账号，或您自己的身份提供方。',
    people: '邀请他人',
    peopleText: '发送邀请、分发邀请码，或分享注册页面。',
    client: '连接命令行客户端',
    clientText: '在终端中操作本服务，或让工具代您操作。',
    product: '接入您的产品',
    productText: '列出登录后可以返回的网址。',
  },
}
