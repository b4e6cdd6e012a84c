package guard

import (
	"strings"
	"testing"

	"github.com/checkrein/checkrein"
	"github.com/checkrein/checkrein/internal/guard/guardtest"
)

// TestReadingPasses checks the default decisions about programs that can delete or disclose much:
// commands that only read pass, in every short form of their verbs, and the others do not.
func TestReadingPasses(t *testing.T) {
	t.Parallel()
	for _, row := range [...]struct {
		commands string
		quiet    bool
		least    int
	}{{looks, true, 60}, {alarms, false, 25}} {
		n := 0
		for command := range strings.SplitSeq(strings.Trim(row.commands, "\n"), "\n") {
			n++
			v := verdictOf(t, "packs", []string{"*"}, guardtest.ShellEvent("Bash", "command", command))
			if quiet := v.Decision == checkrein.NoOpinion; quiet != row.quiet {
				t.Errorf("%s: %s (%s)", command, v.Decision, v.Reason)
			}
		}
		if n < row.least {
			t.Errorf("only %d commands", n)
		}
	}
}

const looks = `
doctl compute droplet ls
doctl compute droplet g 123
doctl compute droplet list
doctl compute droplet get 12
doctl compute ssh-key ls
doctl kubernetes cluster ls
doctl kubernetes cluster g x
doctl k8s c ls
doctl databases ls
doctl apps ls
doctl apps logs x
doctl registry repo ls
doctl compute domain records ls x.example
doctl compute domain records list x.example
doctl compute firewall ls
doctl compute volume ls
doctl account get
doctl balance get
doctl auth ls
doctl projects ls
docker buildx du
docker buildx ls
docker builder du
docker buildx inspect
docker system df
docker buildx history ls
docker buildx imagetools inspect x
docker scout cves x
bup -d REPO ls
bup -d /backup ls main
bup -d repo ftp
bup ls
bup -d repo midx -l
bup -d repo fsck
bup --bup-dir repo ls
borg -r x list
restic -r x snapshots
restic -r x ls latest
vgcfgrestore -l
vgcfgrestore --list vg0
vgcfgrestore -l vg0
wrangler kv:key get x --binding B
wrangler kv:key list --binding B
wrangler kv key get x
wrangler kv key list
wrangler kv:namespace list
wrangler r2 object get b/x
wrangler r2 bucket list
wrangler secret list
wrangler d1 list
updog --password x
hcloud server list
hcloud server describe x
hcloud volume list
linode-cli linodes list
linode-cli linodes ls
linode-cli linodes view 1
vultr-cli instance list
scw instance server list
exo compute instance list
upctl server list
upctl server ls
civo instance ls
civo kubernetes ls
oci os bucket list
openstack server list
openstack server show x
ibmcloud is instances
aliyun ecs DescribeInstances
yc compute instance list
flarectl zone list
flyctl volumes list
fly volumes ls
fly apps ls
heroku ps
heroku pg:backups
vercel ls
netlify sites:list
railway status
duplicacy list
duplicity collection-status file:///b
kopia snapshot list
kopia snap ls
rclone ls r:
rclone lsd r:
tarsnap --list-archives
rdiff-backup --list-increments x
snapper ls
snapper list
timeshift --list
zfs list
zpool list
btrfs subvolume list /
lvs
vgs
lvdisplay
mdadm --detail /dev/md0
mdadm -D /dev/md0
parted -l
parted /dev/sda print
fdisk -l
sfdisk -l
sfdisk -d /dev/sda
gdisk -l /dev/sda
sgdisk -p /dev/sda
cryptsetup status x
cryptsetup luksDump /dev/sda1
dmsetup ls
losetup -a
losetup -l
wipefs /dev/sda
wipefs -n /dev/sda
blkid
hdparm -I /dev/sda
nvme list
mkswap --version
cloudflared tunnel list
cloudflared tunnel info x
tailscale serve status
tailscale funnel status
croc --help
wormhole --version
aws s3 ls s3://b
aws s3api list-objects --bucket b
gsutil ls gs://b
gcloud sql instances list
az storage blob list -c x
mc ls m/b
s3cmd ls s3://b
s3cmd du s3://b
b2 ls b
rclone size r:
kubectl get ns
helm ls
helm history x
terraform state list
terraform workspace list
pulumi stack ls
redis-cli info
mongosh --eval 'db.stats()'
etcdctl get x
consul kv get x
vault kv list x
docker volume ls
docker image ls
docker container ls
docker network ls
docker context ls
podman volume ls
podman pod ls
podman machine ls
podman system df
nerdctl ps
lxc list
lxc info x
incus ls
incus list
multipass list
virsh list --all
vagrant status
vagrant global-status
vboxmanage list vms
qm list
pct list
multipass ls
limactl ls
colima ls
minikube profile list
kind get clusters
k3d cluster list
eksctl get cluster
gh repo list
gh release list
gh cache list
glab repo list
npm cache ls
npm owner ls
pm2 ls
supervisorctl status
crontab -l
at -l
atq
launchctl list
tmux ls
screen -ls
nmcli con show
ufw status
iptables -L
nft list ruleset
ip route
systemctl list-units
loginctl list-sessions
journalctl --disk-usage
brew list
brew ls
apt list
snap list
flatpak list
pacman -Q
gem list
conda env list
conda list
pipx list
cargo install --list
rustup toolchain list
nvm ls
nvm ls-remote
pyenv versions
asdf list
sdk list
docker compose ls
docker compose ps
doctl compute cdn ls
doctl compute cdn g x
doctl compute certificate ls
doctl compute image ls
doctl compute snapshot ls
doctl compute tag ls
doctl compute load-balancer g x
doctl compute reserved-ip ls
doctl vpcs ls
doctl registry g
doctl registry repository list-v2
doctl registry garbage-collection ls
doctl serverless functions ls
doctl monitoring alert ls
doctl compute droplet-action g 1 --action-id 2
doctl kubernetes cluster node-pool ls x
doctl k8s cluster np g x y
doctl databases backups ls x
doctl invoice ls
doctl 1-click ls
docker buildx du --verbose
docker --context x buildx du
docker buildx du --filter until=24h
podman buildx du
doctl compute d ls
doctl compute d g 1
doctl d ls
doctl d g x
bup -d REPO fsck
bup --bup-dir=x ls
wrangler kv:key put a b
miniserve --auth u:p .
duplicity list-current-files sftp://h/b
`

const alarms = `
vgcfgrestore vg0
wrangler kv:key delete x
updog
updog -d . -p 80
miniserve .
ngrok http 3000
doctl compute droplet d 1
doctl compute droplet rm 1
doctl d d x
doctl compute d d 1
doctl compute domain records d x 1
bup -d REPO rm x
wrangler kv:key delete a
updog --password x -d ~/.ssh
doctl databases d x
doctl kubernetes cluster d x
tarsnap -d -f x
bup -d REPO prune-older --unsafe
bup -d REPO gc --unsafe
wrangler kv key delete k
wrangler d1 delete mydb
kopia snapshot delete k1 --delete
borg delete repo::x
restic forget x --prune
zfs destroy tank@a
lvremove -f vg0/data
hcloud server delete x
linode-cli linodes delete 1
dufs --public .
tailscale funnel 3000
docker volume rm data
`
