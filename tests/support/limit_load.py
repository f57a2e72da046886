"""limit_load.py: when a body on three feet under a force (1, 0.3) t and a couple begins to slide: the least power of friction over all twists of unit power."""
from math import *
feet=[(.3,0),(-.2,.25),(-.15,-.2)];m,g,mu=1,9.81,.3
# N: sum=mg, sum x=0, sum y=0
def det3(a): return a[0][0]*(a[1][1]*a[2][2]-a[1][2]*a[2][1])-a[0][1]*(a[1][0]*a[2][2]-a[1][2]*a[2][0])+a[0][2]*(a[1][0]*a[2][1]-a[1][1]*a[2][0])
A=[[1,1,1],[f[0] for f in feet],[f[1] for f in feet]];D=det3(A)
N=[]
for j in range(3):
    B=[r[:] for r in A]; 
    for i in range(3): B[i][j]=[m*g,0,0][i]
    N.append(det3(B)/D)
def gold(f,a,b):
    r=(sqrt(5)-1)/2;c,d=b-r*(b-a),a+r*(b-a);fc,fd=f(c),f(d)
    for _ in range(90):
        if fc<fd: b,d,fd=d,c,fc;c=b-r*(b-a);fc=f(c)
        else: a,c,fc=c,d,fd;d=a+r*(b-a);fd=f(d)
    return min(fc,fd)
for mz in (0,1):
    def P(vy,w):
        vx=1-.3*vy-mz*w
        return sum(mu*n*hypot(vx-w*y,vy+w*x) for n,(x,y) in zip(N,feet))
    print(mz,"%.9f"%gold(lambda w:gold(lambda vy:P(vy,w),-20,20),-30,30),N)
